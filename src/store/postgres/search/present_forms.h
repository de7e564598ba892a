// Tells which forms of a query's words stand in the index at all. A word may have two dozen forms
// (store/text/forms/word_forms.h), most of which no record has; yet each is looked for in every row that the word index finds,
// and in every row that is read. A form that is absent from the GIN index costs 2 µs to ask for, so the others alone are
// searched.
//
// The answer holds until somebody writes to one of the streams and is kept like the counts of words (known_streams.h).
#pragma once

#include "store/postgres/catalog/known_streams.h"
#include "store/postgres/engine/batch.h"
#include "store/postgres/search/word_group.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::store::postgres {

// For one group of streams. Usage: recall() with the state of the streams; if that returns false, ask(), then read() the answer.
// apply() narrows the group.
class PresentForms {
 public:
  PresentForms(const WordQuery& query, const WordGroup& group);

  // False: something has to be asked for.
  bool recall(KnownStreams& known, const std::string& state);
  Answer ask(Batch& batch) const;
  void read(const Rows& rows, KnownStreams& known, const std::string& state);
  // Drops the absent forms from the group's queries.
  void apply(WordGroup& group) const;

 private:
  struct Term {
    std::string query;                  // with all of its forms
    std::vector<std::string> forms;     // a query each
    std::vector<std::int64_t> present;  // a bit per form, as many to a number as a kept count has room for
    bool known = true;
  };
  static std::string key(const std::string& state, const Term& term, std::size_t number);

  const WordQuery* query_;
  std::vector<Term> terms_;  // the excluded ones behind the others
};

}  // namespace ladder::store::postgres

// The phrases that a search looks for in the rows of the word index, each with its meaning for the query.
#pragma once

#include "store/text/word_query.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// The words of one of WordTerm::forms; those in all terms and forms, ascending, each once.
std::vector<std::string> words_of_form(std::string_view form);
std::vector<std::string> words_of(const WordQuery& query);

// A phrase of an expression, and what it means for the query.
struct PhraseMeaning {
  enum class Kind : std::uint8_t { kTerm, kForm, kExcluded };
  static constexpr std::size_t kOptional = std::numeric_limits<std::size_t>::max();

  Kind kind = Kind::kTerm;
  std::size_t term = 0;  // of WordQuery::terms, or of the excluded ones
  std::vector<std::string> words = {};
  bool prefix = false;
  std::size_t group = 0;  // a row has a phrase of each group; kOptional: no row needs it
};

struct WordExpression {
  std::vector<PhraseMeaning> phrases;
  std::size_t groups = 1;

  std::string name() const;  // the same for the same phrases alone
};

class WordTerms {
 public:
  explicit WordTerms(const WordQuery& query) : query_(query) {}
  const WordQuery& query() const { return query_; }

  // Rows that make their record a candidate if all of its words are in one row: with every required term or, where there are
  // none, one of the finders. What else they have of the query can be asked of each, and costs no walk of its own.
  WordExpression candidates(const WordWeights& weights) const;
  // Rows that may do so in a record of several rows.
  WordExpression finders(const WordWeights& weights) const;
  // Rows with any term, the excluded ones too.
  WordExpression any() const;
  WordExpression one(std::size_t term) const;

 private:
  const WordQuery& query_;
};

}  // namespace ladder::store

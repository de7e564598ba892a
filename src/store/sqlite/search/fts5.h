// Adds to FTS5 in every connection: the tokenizer that the index was made with, and the function through which a
// search looks at each hit.
#pragma once

#include "base/error/error.h"
#include "store/text/word_query.h"
#include "store/word_search.h"

#include <sqlite3.h>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

// Looks at the rows that a query on the word index finds, by ascending row id.
class HitSink {
 public:
  virtual ~HitSink() = default;
  // True: the statement shall hand over a row, so that its caller can see what was gathered.
  virtual bool hit(const Fts5ExtensionApi& api, Fts5Context* context) = 0;
};

// Registers both. `*sink` is whom the function ladder_hit shows the rows to; it is read at every hit. Null: it wants none.
Status register_words(sqlite3* db, HitSink** sink);

// A word query as FTS5 understands it.

// The words of the index that a query names: in one of WordTerm::forms; in all terms and forms, ascending, each once.
std::vector<std::string> words_of_form(std::string_view form);
std::vector<std::string> words_of(const WordQuery& query);

// The meaning of a phrase of an expression. FTS5 numbers them as they stand in the text, from 0.
struct PhraseMeaning {
  enum class Kind : std::uint8_t { kTerm, kForm, kExcluded, kAgain };  // kAgain: one of the phrases before, which tells more
  static constexpr std::size_t kBeside = std::numeric_limits<std::size_t>::max();

  Kind kind = Kind::kTerm;
  std::size_t term = 0;  // of WordQuery::terms, or of the excluded ones
  std::vector<std::string> words = {};
  bool prefix = false;
  std::size_t group = 0;  // a row has a phrase of each group; kBeside: no row needs it
};

struct WordExpression {
  std::string text;
  std::vector<PhraseMeaning> phrases;
  std::size_t groups = 1;
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

}  // namespace ladder::store::sqlite

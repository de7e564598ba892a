// The phrases that a search looks for in the rows of the word index, each with its meaning for the query.
#pragma once

#include "store/rows/word_search.h"
#include "text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// The words of one of WordTerm::forms, and the words in all terms and forms (ascending, unique).
std::vector<std::string> words_of_form(std::string_view form);
std::vector<std::string> words_of(const text::WordQuery& query);

// A phrase of an expression, and what it means for the query.
struct PhraseMeaning {
  enum class Kind : std::uint8_t { kTerm, kForm, kExcluded };
  static constexpr std::size_t kOptional = std::numeric_limits<std::size_t>::max();

  Kind kind = Kind::kTerm;
  std::size_t term = 0;  // index into WordQuery::terms, or into the excluded ones
  std::vector<std::string> words = {};
  bool prefix = false;
  std::size_t group = 0;  // a row must have a phrase of each group; kOptional: not required
};

struct WordExpression {
  std::vector<PhraseMeaning> phrases;
  std::size_t groups = 1;
};

class WordTerms {
 public:
  explicit WordTerms(const text::WordQuery& query) : query_(query) {}
  const text::WordQuery& query() const { return query_; }

  // Rows that make their record a candidate if all of its words are in one row: rows with every required term, or if no
  // term is required, with one of the finders. Other terms are looked up per candidate, which needs no extra walk.
  WordExpression candidates(const text::WordWeights& weights) const;
  // Rows that may do so in a record of several rows.
  WordExpression finders(const text::WordWeights& weights) const;
  // Rows with any term, including the excluded ones.
  WordExpression any() const;
  WordExpression one(std::size_t term) const;

 private:
  const text::WordQuery& query_;
};

}  // namespace ladder::store

// Words as PostgreSQL keeps and finds them: lexemes that begin with the owner's number and the column, so that neither another
// owner's words nor those of a column that does not count are ever looked at.
//
//   lexeme = owner, decimal | column, one letter | word as in the passage (passages.h)
//
// A word vector holds, per lexeme, the positions in its field, from 1. Those among the first kEarlyWords of a field weigh more:
// they are labelled A, the others D.
#pragma once

#include "store/rows.h"
#include "store/word_query.h"
#include "store/word_search.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::postgres {

inline constexpr std::int64_t kEarlyWords = 12;

std::string lexeme_prefix(OwnerNo owner, int column);

// A word vector under construction.
class WordVector {
 public:
  // The words of a passage; those of one column in one call. `first`: it is the first passage of its text.
  void add(OwnerNo owner, int column, std::string_view passage_words, bool first);
  bool empty() const { return entries_.empty(); }
  // Its wire form, the same as PostgreSQL sends it.
  std::string take();

 private:
  struct Entry {
    std::uint32_t start, size;  // of the lexeme, in bytes_
    std::uint16_t position;     // with its label
  };
  std::string_view lexeme(const Entry& entry) const { return std::string_view(bytes_).substr(entry.start, entry.size); }

  std::string bytes_;
  std::vector<Entry> entries_;
};

// --- queries, in the form in which tsquery is written ---

// A term, or one of its forms, in any of the columns; a phrase lies within one. Empty when there are none.
std::string term_query(OwnerNo owner, WordColumns columns, const WordTerm& term);

// An array of texts, as an array is written; absent ones are NULL.
std::string query_array(std::span<const std::optional<std::string>> texts);

}  // namespace ladder::store::postgres

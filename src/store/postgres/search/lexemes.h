// Words as PostgreSQL keeps and finds them: lexemes that begin with the owner's number and the column, so that neither another
// owner's words nor those of a column that does not count are ever looked at.
//
//   lexeme = owner, decimal | column, one letter | word as in the passage (passages.h)
//
// A word vector holds, per lexeme, the positions in its field, from 1. Those among the first kEarlyWords of a field weigh more:
// they are labelled A, the others D.
#pragma once

#include "store/postgres/engine/pool.h"
#include "store/rows.h"
#include "store/text/word_query.h"
#include "store/word_search.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
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
// One form of a term, likewise.
std::string form_query(OwnerNo owner, WordColumns columns, std::string_view form);

// An array of texts, as an array is written; absent ones are NULL.
std::string query_array(std::span<const std::optional<std::string>> texts);

// Words that came lately wait in a list beside each GIN index, which every search reads. PostgreSQL merges a list that has grown
// to 1 MB (gin_pending_list_limit) within whichever transaction comes next, and its locks with it; so writers merge it
// themselves, after their transactions, and sweeping merges what is left. Only the owner of the index may; for others it waits.
// A merge takes some 70 ms. Those who write in bulk wait for it, so that the list cannot outgrow them; small writes do not.
class NewWords {
 public:
  // So many bytes of word vectors have been committed. Merging may fail without harm.
  void add(Pool& pool, std::size_t bytes);
  // Of passages: each takes whole pages of the list.
  void add_passages(Pool& pool, std::size_t bytes) { add(pool, 2 * bytes); }
  // Waits for a merge that this process has begun.
  void settle() const { merging_.wait(true); }
  // Now, unless somebody else is at it.
  static Status merge(Connection& connection);

 private:
  void merge_beside(Pool& pool);

  std::atomic<std::int64_t> bytes_ = 0;  // since the last time
  std::atomic<bool> merging_ = false;    // whoever sets it may use the thread
  std::jthread thread_;                  // the last member: it uses the others
};

}  // namespace ladder::store::postgres

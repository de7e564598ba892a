// The word index lies in parts, each an FTS5 table of its own for a stretch of numbers: words_r0, words_r1, … for record numbers,
// words_t0, … for text numbers. FTS5 can neither stop in the middle of a word while it merges, nor take deleted words out of the
// file without rewriting the table, so a part is as large as either may take (measured: 20 ms, and some seconds in short steps).
#pragma once

#include "base/error/error.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/numbers.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::store::sqlite {

using WordRowId = std::int64_t;

inline constexpr int kPassageBits = 20;

inline WordRowId first_row(std::int64_t number) { return number << kPassageBits; }
inline WordRowId last_row(std::int64_t number) { return first_row(number + 1) - 1; }
inline std::int64_t number_of(WordRowId row) { return row >> kPassageBits; }

struct WordPart {
  NumberKind kind = NumberKind::kRecords;
  std::int64_t no = 0;

  std::string table() const;
  std::int64_t first_number() const;
  std::int64_t end_number() const;
  std::int64_t id() const { return no * 2 + static_cast<std::int64_t>(kind); }  // in the table word_parts
  static WordPart of_id(std::int64_t id) { return {static_cast<NumberKind>(id % 2), id / 2}; }

  friend auto operator<=>(const WordPart&, const WordPart&) = default;
};

WordPart part_of(NumberKind kind, std::int64_t number);

// All there are, ascending.
Result<std::vector<WordPart>> word_parts(Connection& connection);
Status make_part(Connection& connection, const WordPart& part);  // when it is not there
Status drop_parts(Connection& connection);                       // all of them, also those that FTS5 refuses

Status drop_word_table(Connection& connection, const std::string& table);  // whatever is left of it

// The statements that every part has. Their text has a $ where the table's name goes.
enum class PartSql : std::uint8_t {
  kAdd,
  kRemove,
  kHits,
  kMerge,
  kSegments,
  kSetSegments,
  kPage,
  kLeafOfWord,
  kFormat,
  kOptimize
};
Statement use_part(Connection& connection, PartSql statement, const WordPart& part);

// The tables of the word index, the rules by which its words were made, and making them anew when these have changed (design
// D19).

// The step from a store without search. Which fields are searched stands in the declarations: whoever opens the store for
// creation puts every source again (rs).
Status add_word_tables(Connection& connection);

Status note_words_version(Connection& connection);  // this program's

// Says whether what is in the index was made by the tokenizer of this program.
Result<bool> words_are_current(Connection& connection);
// Empties the index when it was not; reindex() fills it again. The caller holds the writer queue.
Status renew_words(Connection& connection);

// Empties the index, inside a transaction; reindex() fills it again from the records.
Status empty_words(Connection& connection);

// Says whether FTS5 will open every part. It refuses one with more levels than it knows, which earlier versions of Ladder made
// with a thousand deletions, and one whose structure record is damaged. Parts of an unknown format count as usable.
Result<bool> words_are_usable(Connection& connection);
// Makes them so: surplus levels are taken out, which loses nothing; when that does not help, the index is emptied. The caller
// holds the writer queue and opened the connection for this.
Status repair_words(Connection& connection);

}  // namespace ladder::store::sqlite

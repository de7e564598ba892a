// Rows of the word index: which there are for a number, and writing them. FTS5 empties its hash whenever row ids descend, and a
// row can only be taken out by telling its exact content, so the changes of a transaction are gathered and applied part by part
// and by ascending row id, of each row only what it was before and what it is in the end.
#pragma once

#include "store/sqlite/word_parts.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

using TextNo = std::int64_t;

// The last rows of a text number are kept for the short fields of its record, so that they are found without looking.
inline constexpr std::int64_t kShortPassages = 4096;
inline constexpr std::int64_t kLongPassages = (std::int64_t{1} << kPassageBits) - kShortPassages;

inline WordRowId short_row(TextNo text, std::int64_t passage) { return first_row(text) + kLongPassages + passage; }

struct WordRow {
  NumberKind kind = NumberKind::kRecords;
  WordRowId id = 0;

  friend auto operator<=>(const WordRow&, const WordRow&) = default;
};
inline WordRow record_row(RecordNo record) { return {NumberKind::kRecords, first_row(record)}; }
inline WordRow text_row(WordRowId id) { return {NumberKind::kTexts, id}; }

// What one of several transactions takes at most: its commit takes as long again.
inline constexpr std::size_t kMostWordBytes = 192 * 1024;

struct ColumnWords {
  int column = 0;
  std::string words;  // as passages.h prepares them; not empty

  friend bool operator==(const ColumnWords&, const ColumnWords&) = default;
};
using RowWords = std::vector<ColumnWords>;  // by ascending column

// The words of a stretch of text, as they stand in its row.
std::string words_of(std::string_view valid_utf8);

class WordRows {
 public:
  explicit WordRows(Connection& connection) : connection_(connection) {}

  // A row without words is no row: nothing happens.
  Status add(const WordRow& row, RowWords words);
  Status remove(const WordRow& row, RowWords words);
  Status flush();  // writes what was gathered
  Status save();   // the same, and keeps the parts that were written to in order

  std::size_t bytes_gathered() const { return gathered_; }  // of words that wait
  std::size_t bytes_written() const { return written_; }    // so far

 private:
  struct Change {
    WordRow row;
    bool adds = false;
    RowWords words;
  };
  using Changes = std::vector<Change>;

  Status gather(Change change);
  Status apply(Changes::const_iterator first, Changes::const_iterator last);  // of one row
  Status run(PartSql statement, const WordRow& row, const RowWords& words);
  struct Touched {
    std::size_t bytes = 0;  // written
    bool dirty = false;     // it is noted that words were removed
  };
  Result<Touched*> touch(const WordPart& part);

  Connection& connection_;
  Changes changes_;
  std::size_t gathered_ = 0;  // bytes of words in changes_
  std::size_t written_ = 0;
  std::map<WordPart, Touched> touched_;
};

}  // namespace ladder::store::sqlite

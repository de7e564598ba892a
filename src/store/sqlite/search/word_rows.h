// The searched fields of a stream as writes and upkeep need them.
#pragma once

#include "base/mutex.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/word_parts.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

enum class ColumnState : std::int64_t { kReady = 0, kBuilding = 1, kDropping = 2 };

struct StreamWords {
  std::int64_t epoch = 0;           // tells this set of columns from any other; 0: the stream never had one
  WordColumns mask = 0;             // the columns that records are written with
  std::vector<WordColumn> columns;  // those that are dropped, too: some records may still have words there
  std::vector<WordColumn> written;  // those of `mask`

  // The texts of a body whose words are in these columns.
  std::vector<SearchedText> texts(std::string_view body, WordColumns in) const;
  Result<CutWords> cut(std::string_view body) const;  // as it is written
};

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream);

// Remembers the searched fields that the last write to each stream found, so that the next one is prepared outside any
// transaction.
class WordMemory {
 public:
  void keep(StreamNo stream, const StreamWords& words) {
    const MutexLock lock(mutex_);
    std::shared_ptr<const StreamWords>& kept = streams_[stream];
    if (!kept || kept->epoch != words.epoch) kept = std::make_shared<const StreamWords>(words);
  }
  // Null before the first write.
  std::shared_ptr<const StreamWords> of(StreamNo stream) {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : found->second;
  }

 private:
  Mutex mutex_;
  std::map<StreamNo, std::shared_ptr<const StreamWords>> streams_ LADDER_GUARDED_BY(mutex_);
};

// Rows of the word index: which there are for a number, and writing them. FTS5 empties its hash whenever row ids descend, and a
// row can only be taken out by telling its exact content, so the changes of a transaction are gathered and applied part by part
// and by ascending row id, of each row only what it was before and what it is in the end.

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

// The bound on one of several transactions: its commit takes as long again.
inline constexpr std::size_t kMaxBatchWordBytes = 192 * 1024;

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

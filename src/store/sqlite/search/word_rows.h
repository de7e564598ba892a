// The searched fields of a stream as writes and upkeep need them.
#pragma once

#include "base/mutex.h"
#include "store/postings/posting_batch.h"
#include "store/search/row_words.h"
#include "store/sqlite/engine/connection.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

enum class ColumnState : std::int64_t { kReady = 0, kBuilding = 1, kDropping = 2 };

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

// Rows of the word index: which there are for a number, and writing them.

// The bound on one of several transactions: its commit takes as long again.
inline constexpr std::size_t kMaxBatchWordBytes = 192 * 1024;
// The same where words are removed: each of them is taken out of a block of its own.
inline constexpr std::size_t kMaxRemovedWordBytes = 24 * 1024;

// Gathers the changes that a transaction makes to the rows of one owner.
class WordRows {
 public:
  explicit WordRows(Connection& connection) : connection_(connection) {}

  // Before the first row. Rows of another owner are written before.
  Status begin(OwnerNo owner);
  Status add(WordRowId row, RowWords words);
  Status remove(WordRowId row, RowWords words);
  Status flush();  // writes what was gathered
  Status save();   // the same, and merges segments as far as what was written asks for it

  std::size_t bytes() const { return written_ + batch_.bytes(); }  // of words, gathered or written
  std::size_t bytes_removed() const { return removed_; }           // of those words, or to be removed

 private:
  Status flush_full();

  Connection& connection_;
  OwnerNo owner_ = 0;
  PostingBatch batch_;
  std::size_t written_ = 0, removed_ = 0;
  std::int64_t blocks_written_ = 0;
};

}  // namespace ladder::store::sqlite

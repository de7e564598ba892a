// The searched fields of a stream, for writes and maintenance.
#pragma once

#include "store/catalog/word_columns.h"
#include "store/postings/posting_batch.h"
#include "store/search/row_words.h"
#include "store/sqlite/engine/connection.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

Result<StreamWords> load_stream_words(Connection& connection, StreamNo stream);

// Writes rows of the word index.

// The limit for one of several transactions. Its commit takes as long as the work before it.
inline constexpr std::size_t kMaxBatchWordBytes = 192 * 1024;
// The limit when words are removed, because each removal changes a different block.
inline constexpr std::size_t kMaxRemovedWordBytes = 24 * 1024;

// Collects the changes of a transaction to the rows of one owner.
class WordRows {
 public:
  explicit WordRows(Connection& connection) : connection_(connection) {}

  // Called before the first row. Flushes rows of another owner.
  Status begin(OwnerNo owner);
  Status add(WordRowId row, RowWords words);
  Status remove(WordRowId row, RowWords words);
  Status flush();  // writes the collected changes
  Status save();   // the same, and merges segments if enough was written

  std::size_t bytes() const { return written_ + batch_.bytes(); }  // bytes of words, collected or written
  std::size_t bytes_removed() const { return removed_; }           // the part of them that is removed

 private:
  Status flush_full();

  Connection& connection_;
  OwnerNo owner_ = 0;
  PostingBatch batch_;
  std::size_t written_ = 0, removed_ = 0;
  std::int64_t blocks_written_ = 0;
};

}  // namespace ladder::store::sqlite

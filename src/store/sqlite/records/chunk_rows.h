// Reads the stored chunks of long values and blobs and decompresses them.
#pragma once

#include "base/limits.h"
#include "store/checksums/row_sums.h"
#include "store/compression/compression.h"
#include "store/sqlite/engine/record_rows.h"
#include "store/sqlite/engine/sqlite_store.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::store::sqlite {

// Iterates over chunks in order of value and number. Of each kind, only one may be active on a connection at a time.
class ChunkRows {
 public:
  // The chunks of one value, numbered first to last.
  ChunkRows(Connection& connection, ValueId value, std::int64_t first, std::int64_t last) : rows_(connection.use(Sql::kChunks)) {
    rows_.integer(1, value).integer(2, first).integer(3, last);
  }
  // All chunks of the values [first, end).
  ChunkRows(Connection& connection, ValueId first, ValueId end) : rows_(connection.use(Sql::kChunksOfValues)) {
    rows_.integer(1, first).integer(2, end);
  }

  // Reads and decompresses the next chunk. False when there are no more.
  Result<bool> next() {
    LADDER_TRY(const bool row, rows_.step());
    if (row) bytes_ = raw_bytes(stored_at(rows_, 2, 3), limits::kChunkBytes, buffer_);
    return row;
  }

  ValueId value() const { return rows_.integer_at(0); }
  std::int64_t number() const { return rows_.integer_at(1); }
  RowSum sum() const { return rows_.maybe_integer_at(4); }
  // Empty if the chunk cannot be decompressed. No chunk has the checksum of zero bytes.
  std::string_view bytes() const { return bytes_.value_or(std::string_view()); }
  bool is_intact() const { return bytes_ && holds(sum(), chunk_sum(value(), number(), *bytes_)); }
  // For the word index: readable text even if the chunk is damaged.
  std::string_view text() { return bytes_ ? *bytes_ : raw_text(stored_at(rows_, 2, 3), limits::kChunkBytes, buffer_); }

 private:
  Statement rows_;
  std::string buffer_;
  std::optional<std::string_view> bytes_;
};

}  // namespace ladder::store::sqlite

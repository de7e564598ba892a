// Reads the rows of records that a statement selects.
#pragma once

#include "store/checksums/row_sums.h"
#include "store/compression/compression.h"
#include "store/sqlite/engine/connection.h"

#include <string>
#include <string_view>

namespace ladder::store::sqlite {

inline StoredBytes stored_at(const Statement& row, int bytes, int raw_size) {
  return {row.bytes_at(bytes), row.maybe_integer_at(raw_size)};
}

// Reads a row whose first columns are LADDER_SQLITE_RECORD_COLUMNS. The head's text is valid as long as the row.
RecordMetadata head_of(const Statement& row, StreamNo stream, std::string_view key);
RecordRow record_of(const Statement& row, StreamNo stream, std::string_view key);
// Reads the body of a record's row. False when it cannot be decompressed.
bool read_body(const Statement& row, int body_column, int raw_size_column, std::string& body);

}  // namespace ladder::store::sqlite

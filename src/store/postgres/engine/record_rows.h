// Reads the rows of records that a statement selects.
#pragma once

#include "base/limits.h"
#include "store/checksums/row_sums.h"
#include "store/compression/compression.h"
#include "store/postgres/engine/connection.h"

#include <string_view>
#include <vector>

namespace ladder::store::postgres {

#define LADDER_PG_RECORD_COLUMNS                                                                                \
  "r.record_no, r.stream_no, r.version, r.emitted_at, r.order_key, r.digest, r.field_versions, r.stored_body, " \
  "r.consent_time, r.first_value, r.value_count, r.sum, r.raw_size"
inline constexpr int kRecordColumns = 13;
inline constexpr int kSumOfRecord = 11;  // counted from the first of them

inline StoredBytes stored_at(const Rows& rows, int row, int bytes, int raw_size) {
  return {rows.bytes(row, bytes), rows.maybe_int8(row, raw_size)};
}

// Reads the body of a record. False when it cannot be decompressed.
inline bool read_body(const Rows& rows, int row, int body_column, int raw_size_column, std::string& body) {
  return read_raw(stored_at(rows, row, body_column, raw_size_column), limits::kRecordRowBytes, body);
}

// Returns the bytes of a chunk, or nullopt when they cannot be decompressed.
inline std::optional<std::string_view> chunk_bytes(const StoredBytes& stored, std::string& buffer) {
  return raw_bytes(stored, limits::kChunkBytes, buffer);
}

// The same, and verifies the checksum.
inline std::optional<std::string_view> intact_chunk(const StoredBytes& stored, RowSum sum, ValueId value, std::int64_t chunk_no,
                                                    std::string& buffer) {
  const auto bytes = chunk_bytes(stored, buffer);
  return bytes && holds(sum, chunk_sum(value, chunk_no, *bytes)) ? bytes : std::nullopt;
}

inline RecordMetadata read_head(const Rows& rows, int row, int column, std::string_view key) {
  return {.no = rows.int8(row, column),
          .stream = rows.int8(row, column + 1),
          .key = key,
          .order_key = rows.bytes(row, column + 4),
          .version = rows.int8(row, column + 2),
          .digest = rows.bytes(row, column + 5),
          .emitted_at = rows.bytes(row, column + 3),
          .consent_time = rows.maybe_int8(row, column + 8),
          .field_versions = rows.bytes(row, column + 6),
          .first_value = rows.int8(row, column + 9),
          .value_count = rows.int8(row, column + 10)};
}

inline RecordRow read_record(const Rows& rows, int row, int column, std::string_view key) {
  const RecordMetadata head = read_head(rows, row, column, key);
  const RowSum sum = rows.maybe_int8(row, column + kSumOfRecord);
  RecordRow record;
  record.no = head.no;
  record.stream = head.stream;
  record.key = key;
  record.version = head.version;
  record.emitted_at = head.emitted_at;
  record.order_key = head.order_key;
  record.digest = crypto::to_digest(head.digest);
  record.field_versions = head.field_versions;
  record.first_value = head.first_value;
  record.value_count = head.value_count;
  const bool readable = read_body(rows, row, column + 7, column + 12, record.body);
  if (!readable || !metadata_matches(sum, head) || !body_matches(sum, head.no, key, record.body)) strip_damaged(record);
  return record;
}

// Reads rows that consist of the record columns and the key.
inline std::vector<RecordRow> read_page(const Rows& rows) {
  std::vector<RecordRow> page;
  page.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) page.push_back(read_record(rows, row, 0, rows.bytes(row, kRecordColumns)));
  return page;
}

// The statements of the window read and of reads by value, shared with tests and benchmarks that run them with EXPLAIN
// (ANALYZE, BUFFERS) to count pages and check plans.

// $1 value id, $2 first chunk, $3 last chunk: the chunks of a window. stored_at(rows, row, 0, 3) returns their bytes.
inline constexpr const char* kSelectChunksSql =
    "SELECT stored, chunk_no, sum, raw_size FROM chunks WHERE owner_no = :owner AND value_id = $1::bigint AND chunk_no BETWEEN "
    "$2::bigint AND "
    "$3::bigint ORDER BY "
    "chunk_no";

// $1 value id, $2 key: the directory page that may contain the key.
inline constexpr const char* kSelectDirectoryPageSql =
    "SELECT page, first_key, sum FROM directory WHERE owner_no = :owner AND value_id = $1::bigint AND first_key <= $2::bigint "
    "ORDER BY first_key DESC "
    "LIMIT 1";

// $1 index, $2 from, $3 to, $4 limit: the next entries and their records. LATERAL … OFFSET 0 makes it one lookup per entry.
#define LADDER_PG_INDEX_PAGE(direction)                                                                               \
  "SELECT " LADDER_PG_RECORD_COLUMNS                                                                                  \
  ", r.key, e.entry"                                                                                                  \
  " FROM (SELECT entry, record_no FROM index_entries"                                                                 \
  "       WHERE owner_no = :owner AND index_no = $1::bigint AND entry >= $2::bytea AND entry < $3::bytea"             \
  "       ORDER BY entry " direction                                                                                  \
  " LIMIT $4::bigint) AS e,"                                                                                          \
  "      LATERAL (SELECT * FROM records WHERE owner_no = :owner AND record_no = e.record_no OFFSET 0) AS r ORDER BY " \
  "e.entry " direction
inline constexpr const char* kIndexPageUpSql = LADDER_PG_INDEX_PAGE("ASC");
inline constexpr const char* kIndexPageDownSql = LADDER_PG_INDEX_PAGE("DESC");

// $1 index, $2 from, $3 to, $4 the count to stop at.
inline constexpr const char* kIndexCountSql =
    "SELECT count(*) FROM (SELECT FROM index_entries WHERE owner_no = :owner AND index_no = $1::bigint AND entry >= $2::bytea "
    "AND entry < $3::bytea"
    " LIMIT $4::bigint) AS e";
// The same for the order keys of the stream $1.
inline constexpr const char* kOrderCountSql =
    "SELECT count(*) FROM (SELECT FROM records WHERE owner_no = :owner AND stream_no = $1::bigint AND order_key >= $2::bytea AND "
    "order_key < $3::bytea"
    " ORDER BY order_key LIMIT $4::bigint) AS e";

// $1 stream, $2 from, $3 to.
inline constexpr const char* kLastOrderKeySql =
    "SELECT order_key FROM records WHERE owner_no = :owner AND stream_no = $1::bigint AND order_key >= $2::bytea AND order_key < "
    "$3::bytea"
    " ORDER BY order_key DESC LIMIT 1";

// $1 index, $2 first day, $3 last day.
inline constexpr const char* kIndexDaysSql =
    "SELECT day, records FROM index_days WHERE owner_no = :owner AND index_no = $1::bigint AND day BETWEEN $2::bigint AND "
    "$3::bigint ORDER BY day";

// $1 digest, $2 the record to start after, $3 limit.
inline constexpr const char* kRecordsWithBlobSql = "SELECT " LADDER_PG_RECORD_COLUMNS
                                                   ", r.key"
                                                   " FROM (SELECT record_no FROM blob_refs WHERE owner_no = :owner AND digest = "
                                                   "$1::bytea AND record_no > $2::bigint ORDER BY record_no"
                                                   "       LIMIT $3::bigint) AS b,"
                                                   "      LATERAL (SELECT * FROM records WHERE owner_no = :owner AND record_no = "
                                                   "b.record_no OFFSET 0) AS r ORDER BY b.record_no";

}  // namespace ladder::store::postgres

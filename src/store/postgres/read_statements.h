// The statements of the window read and of reads by value, where tests and benchmarks can run them bare: EXPLAIN (ANALYZE,
// BUFFERS) counts their pages and shows their plans.
#pragma once

#include "store/postgres/record_rows.h"

namespace ladder::store::postgres {

// $1 value id, $2 first chunk, $3 last chunk: the chunks of a window.
inline constexpr const char* kSelectChunksSql =
    "SELECT bytes, chunk_no, sum FROM chunks WHERE value_id = $1::bigint AND chunk_no BETWEEN $2::bigint AND $3::bigint ORDER BY "
    "chunk_no";

// $1 value id, $2 key: the directory page that may hold the key.
inline constexpr const char* kSelectDirectoryPageSql =
    "SELECT page, first_key, sum FROM directory WHERE value_id = $1::bigint AND first_key <= $2::bigint ORDER BY first_key DESC "
    "LIMIT 1";

// $1 index, $2 from, $3 to, $4 limit: the next entries and their records. LATERAL … OFFSET 0 makes it one look-up per entry.
#define LADDER_PG_INDEX_PAGE(direction)                                             \
  "SELECT " LADDER_PG_RECORD_COLUMNS                                                \
  ", r.key, e.entry"                                                                \
  " FROM (SELECT entry, record_no FROM index_entries"                               \
  "       WHERE index_no = $1::bigint AND entry >= $2::bytea AND entry < $3::bytea" \
  "       ORDER BY entry " direction                                                \
  " LIMIT $4::bigint) AS e,"                                                        \
  "      LATERAL (SELECT * FROM records WHERE record_no = e.record_no OFFSET 0) AS r ORDER BY e.entry " direction
inline constexpr const char* kIndexPageUpSql = LADDER_PG_INDEX_PAGE("ASC");
inline constexpr const char* kIndexPageDownSql = LADDER_PG_INDEX_PAGE("DESC");

// $1 index, $2 from, $3 to, $4 where counting stops.
inline constexpr const char* kIndexCountSql =
    "SELECT count(*) FROM (SELECT FROM index_entries WHERE index_no = $1::bigint AND entry >= $2::bytea AND entry < $3::bytea"
    " LIMIT $4::bigint) AS e";
// The same for the ordering keys of the stream $1.
inline constexpr const char* kOrderCountSql =
    "SELECT count(*) FROM (SELECT FROM records WHERE stream_no = $1::bigint AND order_key >= $2::bytea AND order_key < $3::bytea"
    " ORDER BY order_key LIMIT $4::bigint) AS e";

// $1 stream, $2 from, $3 to.
inline constexpr const char* kLastOrderKeySql =
    "SELECT order_key FROM records WHERE stream_no = $1::bigint AND order_key >= $2::bytea AND order_key < $3::bytea"
    " ORDER BY order_key DESC LIMIT 1";

// $1 index, $2 first day, $3 last day.
inline constexpr const char* kIndexDaysSql =
    "SELECT day, records FROM index_days WHERE index_no = $1::bigint AND day BETWEEN $2::bigint AND $3::bigint ORDER BY day";

// $1 digest, $2 after which record, $3 limit.
inline constexpr const char* kRecordsWithBlobSql =
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key"
    " FROM (SELECT record_no FROM blob_refs WHERE digest = $1::bytea AND record_no > $2::bigint ORDER BY record_no"
    "       LIMIT $3::bigint) AS b,"
    "      LATERAL (SELECT * FROM records WHERE record_no = b.record_no OFFSET 0) AS r ORDER BY b.record_no";

}  // namespace ladder::store::postgres

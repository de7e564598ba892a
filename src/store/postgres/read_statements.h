// The statements of the window read, where tests and benchmarks can run them bare: EXPLAIN (ANALYZE, BUFFERS) counts their pages.
#pragma once

namespace ladder::store::postgres {

// $1 value id, $2 first chunk, $3 last chunk: the chunks of a window.
inline constexpr const char* kSelectChunksSql =
    "SELECT bytes FROM chunks WHERE value_id = $1::bigint AND chunk_no BETWEEN $2::bigint AND $3::bigint ORDER BY chunk_no";

// $1 value id, $2 key: the directory page that may hold the key.
inline constexpr const char* kSelectDirectoryPageSql =
    "SELECT page FROM directory WHERE value_id = $1::bigint AND first_key <= $2::bigint ORDER BY first_key DESC LIMIT 1";

}  // namespace ladder::store::postgres

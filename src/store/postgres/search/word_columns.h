// The searched fields of a stream and their columns in the word index. Columns are allocated when a declaration or
// connection is added, stored in the table word_columns, and read by all writers of words.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/rows/word_search.h"
#include "store/search/row_words.h"
#include "store/store.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store::postgres {

// States of word_columns.
inline constexpr std::int64_t kColumnReady = 0;
inline constexpr std::int64_t kColumnBuilding = 1;
inline constexpr std::int64_t kColumnDropping = 2;

// kConnectorInvalid when a stream has more searched fields than there are columns.
Status check_searched(std::span<const Store::StreamFields> streams);

// Updates the columns of the source's streams to match fields.searched. Owner and streams must be locked. Queues the
// changes and returns whether there are any. kConflict when no column is free because dropped ones are still being emptied.
Result<bool> assign_columns(Connection& connection, SourceNo source);

// The stream's columns with the names of their fields; $1 stream.
inline constexpr const char* kFindWordColumnsSql =
    "SELECT w.column_no, f.name, w.state FROM word_columns w JOIN fields f ON f.owner_no = w.owner_no AND f.field_no = w.field_no"
    " WHERE w.owner_no = :owner AND w.stream_no = $1::bigint ORDER BY w.column_no";
StreamWords read_stream_words(OwnerNo owner, std::int64_t generation, const Rows& columns);

// Fails if another tokenizer built the store's word index, so that writers stop. `version` is the value stored in meta.
Status check_words_version(std::string_view version);

}  // namespace ladder::store::postgres

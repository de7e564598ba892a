// The fields of a stream that are searched, and in which columns of the word index their words are: given out when a declaration
// or a connection comes, kept in the table word_columns, and read by everybody who writes words.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/search/row_words.h"
#include "store/store.h"
#include "store/word_search.h"

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

// Makes the columns of the streams of the source follow fields.searched. Owner and streams are locked. Queues what changes; tells
// whether anything does. kConflict when no column is free because dropped ones are still being emptied.
Result<bool> give_out_columns(Connection& connection, SourceNo source);

// The stream's columns with the names of their fields; $1 stream.
inline constexpr const char* kFindWordColumnsSql =
    "SELECT w.column_no, f.name, w.state FROM word_columns w JOIN fields f ON f.field_no = w.field_no"
    " WHERE w.stream_no = $1::bigint ORDER BY w.column_no";
StreamWords read_stream_words(OwnerNo owner, std::int64_t generation, const Rows& columns);

// Writers give up when the words of the store were made by another tokenizer. `version` is as it stands in meta.
Status check_words_version(std::string_view version);

}  // namespace ladder::store::postgres

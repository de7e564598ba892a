// Reads the columns of a stream (store/catalog/word_columns.h) for writers of words.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/search/row_words.h"

#include <cstdint>
#include <string_view>

namespace ladder::store::postgres {

// The stream's columns with the names of their fields; $1 stream.
inline constexpr const char* kFindWordColumnsSql =
    "SELECT w.column_no, f.name, w.state FROM word_columns w JOIN fields f ON f.owner_no = w.owner_no AND f.field_no = w.field_no"
    " WHERE w.owner_no = :owner AND w.stream_no = $1::bigint ORDER BY w.column_no";
StreamWords read_stream_words(OwnerNo owner, std::int64_t generation, const Rows& columns);

// Fails if another tokenizer built the store's word index, so that writers stop. `version` is the value stored in meta.
Status check_words_version(std::string_view version);

}  // namespace ladder::store::postgres

// The searched fields of a stream and their columns in the word index. Columns are allocated when a declaration or
// connection is added, stored in the table word_columns, and read by all writers of words.
#pragma once

#include "store/sql/database.h"
#include "store/store.h"

#include <cstdint>
#include <span>

namespace ladder::store {

enum class ColumnState : std::int64_t { kReady = 0, kBuilding = 1, kDropping = 2 };  // of word_columns

// kConnectorInvalid when a stream has more searched fields than there are columns.
Status check_searched(std::span<const Store::StreamFields> streams);

// Adds the statements that make the columns of the source's streams match fields.searched. Owner and streams must be
// locked. In a stream with records, reindex() completes the change. kConflict when no column is free because dropped
// ones are still being emptied.
Status assign_word_columns(sql::Session& session, SourceNo source);

}  // namespace ladder::store

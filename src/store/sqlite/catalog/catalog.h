// Keeps the indexes and word columns of a catalog in step with the declarations of its sources.
#pragma once

#include "store/sqlite/engine/connection.h"
#include "store/store.h"

#include <span>

namespace ladder::store::sqlite {

// The indexes of a source: one for every indexed field, in every stream of the source's connections.

// Stores for every field of the source whether and how the declaration wants it indexed.
Status set_index_kinds(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams);

// Drops indexes that no field declares any more and adds the missing ones. Returns true if anything changed. A new
// index of a stream with records is not ready yet.
Result<bool> match_indexes(Connection& connection, SourceNo source);

// The word columns of a source: one for every searched field, in every stream of the source's connections.

// Stores for every field of the source whether it is searched. kConnectorInvalid: too many searched fields in one stream.
Status set_searched(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams);

// Allocates columns for fields that lack one and drops columns that no field needs any more. Returns true if anything
// changed. In a stream with records, reindex() completes both. kConflict: no column is free until it has.
Result<bool> match_word_columns(Connection& connection, SourceNo source);

}  // namespace ladder::store::sqlite

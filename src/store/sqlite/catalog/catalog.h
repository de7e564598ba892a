// The indexes and word columns of a catalog, matched to what its sources declare, and the table of what imports keep.
#pragma once

#include "store/sqlite/engine/connection.h"
#include "store/store.h"

#include <span>

namespace ladder::store::sqlite {

// Lists the indexes that there are: one for every field that is to be indexed, in every stream of the source's connections.

// Notes for every field of the source whether, and how, the declaration wants it indexed.
Status set_index_kinds(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams);

// Drops the indexes that the fields do not ask for any more and adds those that are missing; true when there were such. One of a
// stream that has records is not ready.
Result<bool> match_indexes(Connection& connection, SourceNo source);

// Lists the word columns that there are: one for every searched field, in every stream of the source's connections.

// Notes for every field of the source whether the declaration wants its words found. kConnectorInvalid: too many in one stream.
Status set_searched(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams);

// Gives columns to the fields that lack one and drops those nobody asks for any more; true when there were such. In a stream
// that has records both wait for reindex(). kConflict: none is free until that is done.
Result<bool> match_word_columns(Connection& connection, SourceNo source);

}  // namespace ladder::store::sqlite

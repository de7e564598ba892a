// Which word columns there are: one for every searched field, in every stream of the source's connections.
#pragma once

#include "store/sqlite/connection.h"
#include "store/store.h"

#include <span>

namespace ladder::store::sqlite {

// Notes for every field of the source whether the declaration wants its words found. kConnectorInvalid: too many in one stream.
Status set_searched(Connection& connection, SourceNo source, std::span<const Store::StreamFields> streams);

// Gives columns to the fields that lack one and drops those nobody asks for any more; true when there were such. In a stream
// that has records both wait for reindex(). kConflict: none is free until that is done.
Result<bool> match_word_columns(Connection& connection, SourceNo source);

}  // namespace ladder::store::sqlite

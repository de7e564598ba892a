// Bringing the tables of a store to the version this program knows, and reading what the store keeps about itself.
#pragma once

#include "base/result.h"
#include "store/open.h"
#include "store/postgres/connection.h"
#include "store/store.h"

#include <vector>

namespace ladder::store::postgres {

// kExisting: only checks; a current store is never written to. kCreate: runs the steps that are missing, each in a transaction of
// its own that also records its version, so that an interrupted run is resumed by the next. Programs that do so at the same time
// take turns. Returns the seal keys. kNotSetUp as store/open.h says.
Result<std::vector<SealKeyRow>> prepare_schema(Connection& connection, OpenMode mode);

// Empties the word index; reindex() fills it again. Takes the same turn.
Status empty_words(Connection& connection);

}  // namespace ladder::store::postgres

// Making the tables of a store (schema.h), bringing them to the version that this program knows, and reading what the store keeps
// about itself. Schemas 1 to 7 were never released.
#pragma once

#include "base/error/error.h"
#include "store/postgres/engine/connection.h"
#include "store/store.h"
#include "store/upgrade.h"

#include <vector>

namespace ladder::store::postgres {

inline constexpr int kSchemaVersion = static_cast<int>(kOldestSchema);

// kExisting: only checks; a current store is never written to. kCreate: makes the tables where there are none, in one
// transaction. Programs that do so at the same time take turns. Returns the seal keys. kNotSetUp as store/store.h says.
Result<std::vector<SealKeyRow>> prepare_schema(Connection& connection, OpenMode mode);

// Looks at the store of an address, for store/upgrade.h.
Result<FoundStore> find_store(const std::string& address);

// Makes the tables where there are none. For a restoration, which fills them.
Status make_empty_store(Connection& connection);

// Empties the word index; reindex() fills it again. Takes the same turn.
Status empty_words(Connection& connection);

}  // namespace ladder::store::postgres

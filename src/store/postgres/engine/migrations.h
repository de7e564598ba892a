// Creates the tables of a store (schema.h), checks their version, and reads the store's own settings. Schemas 1 to 9 were never
// released.
#pragma once

#include "base/error/error.h"
#include "store/found_store.h"
#include "store/postgres/engine/connection.h"
#include "store/store.h"

#include <vector>

namespace ladder::store::postgres {

inline constexpr int kSchemaVersion = static_cast<int>(kOldestSchema);

// kExisting: checks a current store without writing to it. kCreate: creates missing tables in one transaction; programs that do
// so at the same time wait for each other. Returns the seal keys. Errors: kNotSetUp, see store/store.h.
Result<std::vector<SealKeyRow>> prepare_schema(Connection& connection, OpenMode mode);

// Examines the store at an address, for store/engines/upgrade.h.
Result<FoundStore> find_store(const std::string& address);

// Creates missing tables, for a restore to fill.
Status make_empty_store(Connection& connection);

// Empties the word index; reindex() fills it again. Takes the same lock.
Status clear_word_index(Connection& connection);

}  // namespace ladder::store::postgres

// The schema, as an ordered list of steps from an empty file to the newest version. Each step runs in its own
// transaction, which also records its version, so that an interrupted migration resumes where it stopped.
#pragma once

#include "base/error/error.h"
#include "store/found_store.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <span>

namespace ladder::store::sqlite {

struct Migration {
  std::int64_t version;
  Status (*apply)(Connection& connection);
};

std::span<const Migration> migrations();
std::int64_t newest_schema();

// Marks the file as Ladder's in its header ("Ladr"), so that another program's database is never mistaken for a store.
inline constexpr std::int64_t kApplicationId = 0x4C616472;

// 0: the file is empty. kNotSetUp: the file is another program's database or was written by a newer Ladder.
Result<std::int64_t> schema_version(Connection& connection);

// Examines the store at a path, for store/engines/upgrade.h.
Result<FoundStore> find_store(const std::string& location);

// Migrates the file to the newest schema. The caller holds the writer queue.
Status migrate(Connection& connection, std::span<const Migration> steps);

}  // namespace ladder::store::sqlite

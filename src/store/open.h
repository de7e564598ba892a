// The one place that chooses an engine: a path is SQLite, a postgres:// or postgresql:// address is PostgreSQL.
#pragma once

#include "base/result.h"
#include "store/store.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::store {

enum class OpenMode : std::uint8_t {
  kExisting,  // must be there and current; no migration (design D18). kNotSetUp tells to run `ladder init`
  kCreate,    // create or migrate
};

bool is_postgres_address(std::string_view location);
// kNotSetUp: no store there, or one that needs `ladder init` to migrate, or one made by a newer Ladder.
Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode);

}  // namespace ladder::store

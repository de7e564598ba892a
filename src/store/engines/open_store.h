// Selects the engine: a path is SQLite, a postgres:// or postgresql:// address is PostgreSQL.
#pragma once

#include "store/store.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::store {

bool is_postgres_address(std::string_view location);
// kNotSetUp: no store exists, it needs `ladder init` to migrate, or a newer Ladder created it.
Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode, const OpenOptions& options = {});

}  // namespace ladder::store

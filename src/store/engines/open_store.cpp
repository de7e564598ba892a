#include "store/engines/open_store.h"

#include "store/postgres/engine/postgres_store.h"
#include "store/sqlite/engine/sqlite_store.h"

namespace ladder::store {

bool is_postgres_address(std::string_view location) {
  return location.starts_with("postgres://") || location.starts_with("postgresql://");
}

Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode, const OpenOptions& options) {
  return is_postgres_address(location) ? postgres::open_postgres(location, mode, options) : sqlite::open_sqlite(location, mode);
}

}  // namespace ladder::store

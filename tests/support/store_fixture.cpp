#include "support/store_fixture.h"
#include "store/engines/open_store.h"

#include <sqlite3.h>

#include <stdexcept>

namespace ladder::test_support {

StoreLocation::StoreLocation(const std::string& engine) {
  if (engine == "postgres") {
    database_ = PostgresCluster::shared().fresh_database();
    location_ = database_->address();
  } else {
    location_ = (folder_ / "store.db").string();
  }
}

void StoreLocation::run(const std::string& sql) const {
  if (database_) return database_->run(sql);
  sqlite3* file = nullptr;
  const bool done = sqlite3_open(location_.c_str(), &file) == SQLITE_OK &&
                    sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  const std::string said = sqlite3_errmsg(file);
  sqlite3_close(file);
  if (!done) throw std::runtime_error(location_ + ": " + said);
}

std::unique_ptr<store::Store> StoreLocation::open(store::OpenMode mode) const {
  auto opened = store::open_store(location_, mode);
  if (!opened) throw std::runtime_error(location_ + ": " + opened.error().message + " " + opened.error().log_detail);
  return *std::move(opened);
}

}  // namespace ladder::test_support

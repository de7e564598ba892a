#include "support/store_fixture.h"

#include <stdexcept>

namespace ladder::test_support {

StorePlace::StorePlace(const std::string& engine) {
  if (engine == "postgres") {
    database_ = PostgresCluster::shared().fresh_database();
    location_ = database_->address();
  } else {
    location_ = (folder_ / "store.db").string();
  }
}

std::unique_ptr<store::Store> StorePlace::open(store::OpenMode mode) const {
  auto opened = store::open_store(location_, mode);
  if (!opened) throw std::runtime_error(location_ + ": " + opened.error().message + " " + opened.error().log_detail);
  return *std::move(opened);
}

}  // namespace ladder::test_support

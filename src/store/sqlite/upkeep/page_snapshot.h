// The pages of a store as of one moment, read straight from its files while others write. A read transaction keeps them in place:
// no checkpoint brings a page into the database that is newer than this moment, and no frame of the log that belongs to it is
// overwritten.
#pragma once

#include "base/error/error.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {

class PageSnapshot {
 public:
  // Brings the log into the database first, as far as other readers let it, and keeps writers waiting for the last of it.
  // kStoreUnavailable.
  static Result<std::unique_ptr<PageSnapshot>> open(const std::string& path);

  Connection& connection() { return *connection_; }
  std::int64_t pages() const { return page_count_; }
  // Page numbers count from 0 here. The pages go over what `into` holds.
  Status read(std::int64_t first, std::int64_t count, std::string& into);

 private:
  struct LogPage {
    std::int64_t page = 0;    // from 0
    std::int64_t offset = 0;  // in the log
  };

  explicit PageSnapshot(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
  Result<bool> begin(Connection& other);  // false when another program wrote meanwhile
  Status find_log_pages(std::int64_t first_frame, std::int64_t last_frame);
  Result<std::string> log_header() const;
  Status take_from_log(std::int64_t first, std::int64_t count, std::string& into);
  Status read_database(std::int64_t first, std::int64_t count, std::string& into);

  std::unique_ptr<Connection> connection_;
  sqlite3_file* database_ = nullptr;
  sqlite3_file* log_ = nullptr;
  std::string header_;           // of the log
  std::vector<LogPage> in_log_;  // pages whose newest bytes are not in the database yet, ascending
  std::int64_t page_count_ = 0;
};

}  // namespace ladder::store::sqlite

// Reads the pages of a store as of one moment directly from its files, while others write. A read transaction preserves
// them: no checkpoint copies a newer page into the database, and no frame of the snapshot is overwritten in the log.
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
  // First checkpoints the log as far as other readers allow, and blocks writers during the last part. kStoreUnavailable.
  static Result<std::unique_ptr<PageSnapshot>> open(const std::string& path);

  Connection& connection() { return *connection_; }
  std::int64_t pages() const { return page_count_; }
  // Reads pages, counted from 0, and overwrites the contents of `into`.
  Status read(std::int64_t first, std::int64_t count, std::string& into);

 private:
  struct LogPage {
    std::int64_t page = 0;    // counted from 0
    std::int64_t offset = 0;  // in the log
  };

  explicit PageSnapshot(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
  Result<bool> begin(Connection& other);  // false when another program wrote in the meantime
  Status find_log_pages(std::int64_t first_frame, std::int64_t last_frame);
  Result<std::string> log_header() const;
  Status take_from_log(std::int64_t first, std::int64_t count, std::string& into);
  Status read_database(std::int64_t first, std::int64_t count, std::string& into);

  std::unique_ptr<Connection> connection_;
  sqlite3_file* database_ = nullptr;
  sqlite3_file* log_ = nullptr;
  std::string header_;           // of the log
  std::vector<LogPage> in_log_;  // pages whose newest version is not in the database yet, ascending
  std::int64_t page_count_ = 0;
};

}  // namespace ladder::store::sqlite

// A pool of read-only connections, opened on demand and reused.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/file_identity.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {

class ReaderPool {
 public:
  explicit ReaderPool(std::string path) : path_(std::move(path)), identity_(path_) {}

  // A connection for one thread. The destructor returns it to the pool.
  class Lease {
   public:
    Lease(ReaderPool* pool, std::unique_ptr<Connection> connection) : pool_(pool), connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_) pool_->end_lease(std::move(connection_));
    }
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<Connection> connection_;
  };

  Result<Lease> take(OwnerNo owner = 0);  // kStoreUnavailable when the store's file was replaced (file_identity.h)

  void put_back(std::unique_ptr<Connection> connection);  // also accepts a connection opened elsewhere

  struct Figures {
    std::size_t in_use = 0, idle = 0;
  };
  Figures figures() const;

  void close_idle();        // the next reader opens a new connection
  void drop_idle_caches();  // the next reader starts with an empty page cache

 private:
  Lease lend(std::unique_ptr<Connection> connection, OwnerNo owner);
  void end_lease(std::unique_ptr<Connection> connection);

  const std::string path_;
  FileIdentity identity_;
  mutable Mutex mutex_;
  std::atomic<std::size_t> in_use_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_ LADDER_GUARDED_BY(mutex_);
};

// A read transaction: one snapshot of the store for several statements. The destructor ends it.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection) : connection_(connection) {}
  ~ReadTransaction() { end(connection_); }
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  Status begin() { return connection_.use(Sql::kBegin).run(); }

  static void end(Connection& connection);

 private:
  Connection& connection_;
};

}  // namespace ladder::store::sqlite

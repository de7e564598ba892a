// The one writing connection of a store, and the right to use it: every write is a transaction inside the turnstile.
#pragma once

#include "base/result.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/turnstile.h"

#include <chrono>
#include <memory>
#include <string>

namespace ladder::store::sqlite {

// Rolls back unless committed. Lives short: everyone else's writes wait for it.
class WriteTransaction {
 public:
  WriteTransaction(Turnstile::Pass pass, Connection* connection) : pass_(std::move(pass)), connection_(connection) {}
  WriteTransaction(WriteTransaction&& other) noexcept
      : pass_(std::move(other.pass_)), connection_(std::exchange(other.connection_, nullptr)), begun_(other.begun_) {}
  WriteTransaction& operator=(WriteTransaction&&) = delete;
  ~WriteTransaction() {
    if (connection_) connection_->roll_back();
  }

  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }

  Status commit();  // durable when it returns
  bool used_up() const;  // most of the time a write transaction may take is gone: commit and begin another

 private:
  Turnstile::Pass pass_;
  Connection* connection_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

class Writer {
 public:
  explicit Writer(const std::string& path) : path_(path), turnstile_(path) {}

  // kStoreUnavailable when the turnstile stays taken for kWriterQueueMs, or the schema has become newer than this program.
  Result<WriteTransaction> begin();

  // Copies the log into the database and cuts it. False when readers or others stand in the way; try again later.
  Result<bool> fold_log();

 private:
  Result<Turnstile::Pass> enter();
  Status check_schema();

  const std::string path_;
  Turnstile turnstile_;
  // Used by whoever holds a pass.
  std::unique_ptr<Connection> connection_;
  std::int64_t schema_cookie_ = -1;
};

}  // namespace ladder::store::sqlite

// Runs the statements of both engines (store/sql) in PostgreSQL.
#pragma once

#include "store/postgres/engine/pool.h"
#include "store/sql/database.h"

#include <memory>

namespace ladder::store::postgres {

// A session on the connection whose statements may take as long as the limit.
std::unique_ptr<sql::Session> session_on(Connection& connection, milliseconds wait_limit);

class PostgresDatabase final : public sql::Database {
 public:
  explicit PostgresDatabase(Pool& pool) : pool_(pool) {}

 private:
  Status run_read(OwnerNo owner, const Work& work) override;
  Status run_write(OwnerNo owner, const sql::WriteOptions& options, const Work& work) override;

  Pool& pool_;
};

}  // namespace ladder::store::postgres

// Runs the statements of both engines (store/sql) in PostgreSQL.
#pragma once

#include "store/postgres/engine/pool.h"
#include "store/sql/database.h"

namespace ladder::store::postgres {

class PostgresDatabase final : public sql::Database {
 public:
  explicit PostgresDatabase(Pool& pool) : pool_(pool) {}

 private:
  Status run_read(OwnerNo owner, const Work& work) override;
  Status run_write(OwnerNo owner, const sql::WriteOptions& options, const Work& work) override;

  Pool& pool_;
};

}  // namespace ladder::store::postgres

// Runs the statements of both engines (store/sql) in SQLite. Each statement runs when it is added, and its rows are copied.
#pragma once

#include "store/sql/database.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/reserve.h"
#include "store/sqlite/engine/writer.h"

namespace ladder::store::sqlite {

// A session for reads in a transaction of the connection.
std::unique_ptr<sql::Session> session_on(Connection& connection);

class SqliteDatabase final : public sql::Database {
 public:
  SqliteDatabase(Writer& writer, ReaderPool& readers, const Reserve& reserve)
      : writer_(writer), readers_(readers), reserve_(reserve) {}

 private:
  Status run_read(OwnerNo owner, const Work& work) override;
  Status run_write(OwnerNo owner, const sql::WriteOptions& options, const Work& work) override;
  Status write_once(OwnerNo owner, const sql::WriteOptions& options, const Work& work);

  Writer& writer_;
  ReaderPool& readers_;
  const Reserve& reserve_;
};

}  // namespace ladder::store::sqlite

// What imports keep about their parts: a row each, replaced as a whole.
#include "store/sqlite/imports.h"

#include "store/sqlite/store_impl.h"

namespace ladder::store::sqlite {

Status add_import_table(Connection& connection) {
  return connection.execute(R"sql(
CREATE TABLE imports(
  connection_no INTEGER NOT NULL,
  unit TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(connection_no, unit)) WITHOUT ROWID;
)sql");
}

Status SqliteStore::keep_import(ConnectionNo connection, const ImportRow& import) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_CHECK(transaction
                   ->prepare("INSERT INTO imports(connection_no, unit, kept_at, body) VALUES(?1, ?2, ?3, ?4) "
                             "ON CONFLICT(connection_no, unit) DO UPDATE SET kept_at = excluded.kept_at, body = excluded.body")
                   .integer(1, connection)
                   .text(2, import.unit)
                   .integer(3, import.kept_at)
                   .blob(4, import.body)
                   .run());
  return transaction.commit();
}

Result<std::vector<ImportRow>> SqliteStore::imports(ConnectionNo connection) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement rows = reader->prepare("SELECT unit, kept_at, body FROM imports WHERE connection_no = ?1 ORDER BY unit");
  rows.integer(1, connection);
  std::vector<ImportRow> found;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return found;
    found.push_back({rows.string_at(0), rows.string_at(2), rows.integer_at(1)});
  }
}

Status SqliteStore::forget_imports(ConnectionNo connection) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_CHECK(transaction->prepare("DELETE FROM imports WHERE connection_no = ?1").integer(1, connection).run());
  return transaction.commit();
}

}  // namespace ladder::store::sqlite

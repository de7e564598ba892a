// Stores import reports, one row for each unit. Writing a unit again replaces its row.
#include "store/catalog/catalog_store.h"

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

constexpr Statement kPut{
    "INSERT INTO imports (owner_no, connection_no, unit, kept_at, body) VALUES (:owner, $1, $2, $3, $4)"
    " ON CONFLICT (owner_no, connection_no, unit) DO UPDATE SET kept_at = excluded.kept_at, body = excluded.body"};
constexpr Statement kList{"SELECT unit, kept_at, body FROM imports WHERE owner_no = :owner AND connection_no = $1 ORDER BY unit"};
constexpr Statement kDelete{"DELETE FROM imports WHERE owner_no = :owner AND connection_no = $1"};

}  // namespace

Status CatalogStore::put_import(OwnerNo owner, ConnectionNo connection, const ImportRow& import) {
  return database_.write(owner, {}, [&](Session& session) {
    session.add(kPut, connection, import.unit, import.kept_at, Bytes{import.body});
    return session.commit();
  });
}

Result<std::vector<ImportRow>> CatalogStore::imports(OwnerNo owner, ConnectionNo connection) {
  return database_.read(owner, [&](Session& session) -> Result<std::vector<ImportRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kList, connection));
    return rows.all([](const Row& row) { return ImportRow{row.text(0), row.text(2), row.integer(1)}; });
  });
}

Status CatalogStore::delete_imports(OwnerNo owner, ConnectionNo connection) {
  return database_.write(owner, {}, [&](Session& session) {
    session.add(kDelete, connection);
    return session.commit();
  });
}

}  // namespace ladder::store

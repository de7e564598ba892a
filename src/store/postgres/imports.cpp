// What imports keep about their parts: a row each, replaced as a whole.
#include "store/postgres/postgres_store.h"

namespace ladder::store::postgres {
namespace {

constexpr Statement kKeep{
    "INSERT INTO imports (connection_no, unit, kept_at, body) VALUES ($1::bigint, $2::text, $3::bigint, $4::bytea)"
    " ON CONFLICT (connection_no, unit) DO UPDATE SET kept_at = excluded.kept_at, body = excluded.body"};
constexpr Statement kFind{
    "SELECT unit, kept_at, body FROM imports WHERE connection_no = $1::bigint ORDER BY convert_to(unit, 'UTF8')"};
constexpr Statement kForget{"DELETE FROM imports WHERE connection_no = $1::bigint"};

}  // namespace

Status PostgresStore::keep_import(ConnectionNo connection_no, const ImportRow& import) {
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    connection.add(kKeep, connection_no, import.unit, import.kept_at, import.body);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Result<std::vector<ImportRow>> PostgresStore::imports(ConnectionNo connection_no) {
  return pool_.run([&](Connection& connection) -> Result<std::vector<ImportRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFind, connection_no));
    std::vector<ImportRow> found;
    found.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) found.push_back({rows.text(row, 0), rows.text(row, 2), rows.int8(row, 1)});
    return found;
  });
}

Status PostgresStore::forget_imports(ConnectionNo connection_no) {
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    connection.add(kForget, connection_no);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

}  // namespace ladder::store::postgres

#include "store/sqlite/engine/sqlite_store.h"

namespace ladder::store::sqlite {
namespace {

AccessStatusRow access_status_of(const Statement& row) {
  AccessStatusRow access_status;
  access_status.catalog_version = row.integer_at(0);
  access_status.token_found = !row.is_null(1);
  access_status.token_expires_at = row.maybe_integer_at(2);
  access_status.token_revoked = !row.is_null(3);
  access_status.grant_found = !row.is_null(4);
  access_status.grant_revoked = !row.is_null(5);
  access_status.owner_suspended = !row.is_null(6);
  return access_status;
}

}  // namespace

Result<AccessStatusRow> read_access_status(Connection& connection, const Guard& guard) {
  Statement statement = connection.use(Sql::kAccessStatus);
  LADDER_TRY(const bool row, statement.integer(1, guard.owner).integer(2, guard.token).integer(3, guard.grant).step());
  if (row) return access_status_of(statement);
  AccessStatusRow unknown;
  unknown.catalog_version = -1;
  return unknown;
}

Result<AccessStatusRow> SqliteStore::access_status(const Guard& guard) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  return read_access_status(*reader, guard);
}

}  // namespace ladder::store::sqlite

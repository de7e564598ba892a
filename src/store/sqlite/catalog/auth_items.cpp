#include "store/sqlite/engine/items.h"

#include "base/text/format.h"
#include "store/sqlite/engine/sqlite_store.h"

namespace ladder::store::sqlite {
namespace {

#define LADDER_SQLITE_ITEM_COLUMNS "SELECT kind, key, owner_no, body, created_at, expires_at, version FROM auth_items "

AuthItem item_of(const Statement& row) {
  return {.kind = row.string_at(0),
          .key = row.string_at(1),
          .owner = row.integer_at(2),
          .body = row.string_at(3),
          .created_at = row.integer_at(4),
          .expires_at = row.maybe_integer_at(5),
          .version = row.integer_at(6)};
}

// Returns false when the item already exists or has a different version than expected.
Result<bool> put(Connection& connection, const AuthItem& item) {
  const bool is_new = item.version == 0;
  Statement statement = connection.prepare(
      is_new ? "INSERT INTO auth_items(kind, key, owner_no, body, created_at, expires_at, version) "
               "VALUES(?1, ?2, ?3, ?4, ?5, ?6, 1) ON CONFLICT(kind, key) DO NOTHING"
             : "UPDATE auth_items SET owner_no = ?3, body = ?4, created_at = ?5, expires_at = ?6, version = version + 1 "
               "WHERE kind = ?1 AND key = ?2 AND version = ?7");
  statement.text(1, item.kind).blob(2, item.key).integer(3, item.owner).blob(4, item.body);
  statement.integer(5, item.created_at).maybe_integer(6, item.expires_at);
  if (!is_new) statement.integer(7, item.version);
  LADDER_CHECK(statement.run());
  return connection.rows_changed() == 1;
}

Status bind(Connection& connection, OwnerNo owner, const BoundToken& token) {
  LADDER_TRY(
      const TokenNo no,
      insert_token(connection, owner, {token.hash, TokenKind::kClient, token.client_id, token.created_at, token.expires_at}));
  for (const std::string& id : token.grant_ids) {
    LADDER_CHECK(connection
                     .prepare("INSERT INTO token_grants(owner_no, token_no, grant_no) SELECT owner_no, ?1, grant_no FROM grants "
                              "WHERE owner_no = ?2 AND grant_id = ?3")
                     .integer(1, no)
                     .integer(2, owner)
                     .text(3, id)
                     .run());
    if (connection.rows_changed() != 1)
      return fail(Code::kNotFound, format("the grant {} to bind a token to does not exist", id));
  }
  return {};
}

// Keeps the token's binding to the old grant, as a record of what it could read.
Status replace(Connection& connection, const AuthChange& change, const ReplacedGrant& grant) {
  LADDER_CHECK(
      connection.prepare("UPDATE grants SET revoked_at = ?3 WHERE owner_no = ?1 AND grant_id = ?2 AND revoked_at IS NULL")
          .integer(1, change.owner)
          .text(2, grant.from)
          .integer(3, change.now)
          .run());
  if (connection.rows_changed() != 1) return fail(Code::kConflict, format("grant {} has been revoked or replaced", grant.from));
  if (grant.to.empty()) return {};
  const auto numbered = [&](const std::string& id) -> Result<std::pair<std::int64_t, std::optional<Instant>>> {
    Statement row = connection.prepare("SELECT grant_no, expires_at FROM grants WHERE owner_no = ?1 AND grant_id = ?2");
    LADDER_TRY(const bool found, row.integer(1, change.owner).text(2, id).step());
    if (!found) return fail(Code::kNotFound, format("the new grant {} does not exist", id));
    return std::pair{row.integer_at(0), row.maybe_integer_at(1)};
  };
  LADDER_TRY(const auto from, numbered(grant.from));
  LADDER_TRY(const auto to, numbered(grant.to));
  LADDER_CHECK(
      connection
          .prepare(
              "UPDATE tokens SET expires_at = ?3 WHERE owner_no = ?4 AND kind = 1 AND revoked_at IS NULL AND expires_at = ?2 "
              "AND token_no IN (SELECT token_no FROM token_grants WHERE owner_no = ?4 AND grant_no = ?1)")
          .integer(1, from.first)
          .maybe_integer(2, from.second)
          .maybe_integer(3, to.second)
          .integer(4, change.owner)
          .run());
  return connection
      .prepare(
          "INSERT INTO token_grants(owner_no, token_no, grant_no) SELECT owner_no, token_no, ?2 FROM token_grants "
          "WHERE owner_no = ?3 AND grant_no = ?1")
      .integer(1, from.first)
      .integer(2, to.first)
      .integer(3, change.owner)
      .run();
}

Status revoke(Connection& connection, const AuthChange& change) {
  for (const Digest& hash : change.revoked_tokens) {
    LADDER_CHECK(connection.prepare("UPDATE tokens SET revoked_at = ?2 WHERE hash = ?1 AND kind = 1 AND revoked_at IS NULL")
                     .blob(1, crypto::view(hash))
                     .integer(2, change.now)
                     .run());
  }
  for (const std::string& grant : change.revoked_bindings) {
    LADDER_CHECK(
        connection
            .prepare(
                "UPDATE tokens SET revoked_at = ?3 WHERE owner_no = ?1 AND kind = 1 AND revoked_at IS NULL AND token_no IN "
                "(SELECT b.token_no FROM token_grants b JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = b.grant_no "
                "WHERE g.owner_no = ?1 AND g.grant_id = ?2)")
            .integer(1, change.owner)
            .text(2, grant)
            .integer(3, change.now)
            .run());
  }
  if (!change.revoke_everything) return {};
  for (const char* sql : {"UPDATE grants SET revoked_at = ?2 WHERE owner_no = ?1 AND revoked_at IS NULL",
                          "UPDATE tokens SET revoked_at = ?2 WHERE owner_no = ?1 AND kind = 1 AND revoked_at IS NULL"}) {
    LADDER_CHECK(connection.prepare(sql).integer(1, change.owner).integer(2, change.now).run());
  }
  return {};
}

}  // namespace

Result<std::optional<AuthItem>> SqliteAuthStore::find(std::string_view kind, std::string_view key) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement row = reader->prepare(LADDER_SQLITE_ITEM_COLUMNS "WHERE kind = ?1 AND key = ?2");
  LADDER_TRY(const bool found, row.text(1, kind).blob(2, key).step());
  if (!found) return std::nullopt;
  return item_of(row);
}

Result<std::vector<AuthItem>> SqliteAuthStore::list(std::string_view kind, OwnerNo owner) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement rows = reader->prepare(LADDER_SQLITE_ITEM_COLUMNS "WHERE kind = ?1 AND owner_no = ?2 ORDER BY created_at, key");
  rows.text(1, kind).integer(2, owner);
  std::vector<AuthItem> items;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return items;
    items.push_back(item_of(rows));
  }
}

Result<std::int64_t> SqliteAuthStore::count(std::string_view kind) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  Statement row = reader->prepare("SELECT count(*) FROM auth_items WHERE kind = ?1");
  LADDER_TRY(const bool found, row.text(1, kind).step());
  return found ? row.integer_at(0) : 0;
}

Result<bool> SqliteAuthStore::apply(const AuthChange& change) {
  const bool revokes = change.revoke_everything || !change.revoked_tokens.empty() || !change.revoked_bindings.empty();
  LADDER_TRY(WriteTransaction transaction, writer_.begin(revokes ? WriteKind::kUrgent : WriteKind::kShort));
  for (const AuthItem& item : change.puts) {
    LADDER_TRY(const bool done, put(*transaction, item));
    if (!done) return false;
  }
  for (const auto& [kind, key] : change.removes) {
    LADDER_CHECK(transaction->prepare("DELETE FROM auth_items WHERE kind = ?1 AND key = ?2").text(1, kind).blob(2, key).run());
  }
  for (const NewGrant& grant : change.grants) LADDER_CHECK(insert_grant(*transaction, change.owner, grant));
  for (const BoundToken& token : change.tokens) LADDER_CHECK(bind(*transaction, change.owner, token));
  for (const ReplacedGrant& grant : change.replaced) LADDER_CHECK(replace(*transaction, change, grant));
  LADDER_CHECK(revoke(*transaction, change));
  LADDER_CHECK(transaction.commit());
  if (!change.grants.empty()) reserve_.refill();  // a later revocation needs disk space
  return true;
}

Result<std::int64_t> SqliteAuthStore::remove_expired(Instant now) {
  {
    LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
    Statement any = reader->prepare("SELECT 1 FROM auth_items WHERE expires_at <= ?1 LIMIT 1");
    LADDER_TRY(const bool found, any.integer(1, now).step());
    if (!found) return 0;  // avoids an empty write transaction
  }
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_CHECK(transaction->prepare("DELETE FROM auth_items WHERE expires_at <= ?1").integer(1, now).run());
  const std::int64_t removed = transaction->rows_changed();
  LADDER_CHECK(transaction.commit());
  return removed;
}

}  // namespace ladder::store::sqlite

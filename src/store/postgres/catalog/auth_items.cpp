#include "store/postgres/engine/items.h"

#include "base/text/format.h"
#include "store/postgres/engine/connection.h"
#include "store/store.h"

namespace ladder::store::postgres {
namespace {

#define LADDER_PG_ITEM_COLUMNS "SELECT kind, key, owner_no, body, created_at, expires_at, version FROM auth_items "

constexpr Statement kFind{LADDER_PG_ITEM_COLUMNS "WHERE kind = $1::text AND key = $2::bytea"};
constexpr Statement kList{LADDER_PG_ITEM_COLUMNS "WHERE kind = $1::text AND owner_no = $2::bigint ORDER BY created_at, key"};
constexpr Statement kCount{"SELECT count(*) FROM auth_items WHERE kind = $1::text"};
constexpr Statement kAdd{
    "INSERT INTO auth_items (kind, key, owner_no, body, created_at, expires_at, version)"
    " VALUES ($1::text, $2::bytea, $3::bigint, $4::bytea, $5::bigint, $6::bigint, 1) ON CONFLICT (kind, key) DO NOTHING"};
constexpr Statement kReplace{
    "UPDATE auth_items SET owner_no = $3::bigint, body = $4::bytea, created_at = $5::bigint, expires_at = $6::bigint,"
    " version = version + 1 WHERE kind = $1::text AND key = $2::bytea AND version = $7::bigint"};
constexpr Statement kRemove{"DELETE FROM auth_items WHERE kind = $1::text AND key = $2::bytea"};
constexpr Statement kRemoveExpired{"DELETE FROM auth_items WHERE expires_at <= $1::bigint"};
constexpr Statement kOwnerExists{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR KEY SHARE"};
constexpr Statement kAddGrant{
    "INSERT INTO grants (owner_no, grant_id, client_id, body, issued_at, expires_at, single_use, named)"
    " VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint <> 0, $8::bytea)"};
constexpr Statement kAddToken{
    "INSERT INTO tokens (owner_no, hash, kind, client_id, created_at, expires_at)"
    " VALUES ($1::bigint, $2::bytea, 1, $3::text, $4::bigint, $5::bigint)"};
constexpr Statement kBindGrant{
    "INSERT INTO token_grants (owner_no, token_no, position, grant_no) SELECT t.owner_no, t.token_no, $4::bigint, g.grant_no"
    " FROM tokens t, grants g WHERE t.hash = $2::bytea AND t.owner_no = g.owner_no AND g.grant_id = $3::text AND g.owner_no = "
    "$1::bigint"};
constexpr Statement kEndGrant{
    "UPDATE grants SET revoked_at = $3::bigint WHERE owner_no = $1::bigint AND grant_id = $2::text AND revoked_at IS NULL"};
constexpr Statement kExtendTokens{
    "UPDATE tokens t SET expires_at = n.expires_at FROM grants o, grants n, token_grants b"
    " WHERE o.owner_no = $1::bigint AND o.grant_id = $2::text AND n.owner_no = $1::bigint AND n.grant_id = $3::text"
    " AND b.owner_no = o.owner_no AND b.grant_no = o.grant_no"
    " AND t.owner_no = b.owner_no AND t.token_no = b.token_no AND t.kind = 1 AND t.revoked_at IS NULL"
    " AND t.expires_at = o.expires_at"};
constexpr Statement kRebindTokens{
    "INSERT INTO token_grants (owner_no, token_no, position, grant_no) SELECT b.owner_no, b.token_no,"
    " (SELECT max(p.position) + 1 FROM token_grants p WHERE p.owner_no = b.owner_no AND p.token_no = b.token_no), n.grant_no"
    " FROM token_grants b JOIN grants o ON o.owner_no = b.owner_no AND o.grant_no = b.grant_no JOIN grants n ON n.owner_no = "
    "o.owner_no"
    " WHERE o.owner_no = $1::bigint AND o.grant_id = $2::text AND n.grant_id = $3::text"};
constexpr Statement kRevokeToken{
    "UPDATE tokens SET revoked_at = $2::bigint WHERE hash = $1::bytea AND kind = 1 AND revoked_at IS NULL"};
constexpr Statement kRevokeBindings{
    "UPDATE tokens SET revoked_at = $3::bigint WHERE owner_no = $1::bigint AND kind = 1 AND revoked_at IS NULL AND token_no IN"
    " (SELECT b.token_no FROM token_grants b JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = b.grant_no"
    " WHERE g.owner_no = $1::bigint AND g.grant_id = $2::text)"};
constexpr Statement kRevokeGrants{"UPDATE grants SET revoked_at = $2::bigint WHERE owner_no = $1::bigint AND revoked_at IS NULL"};
constexpr Statement kRevokeTokens{
    "UPDATE tokens SET revoked_at = $2::bigint WHERE owner_no = $1::bigint AND kind = 1 AND revoked_at IS NULL"};

AuthItem read_item(const Rows& rows, int row) {
  return {.kind = rows.text(row, 0),
          .key = rows.text(row, 1),
          .owner = rows.int8(row, 2),
          .body = rows.text(row, 3),
          .created_at = rows.int8(row, 4),
          .expires_at = rows.maybe_int8(row, 5),
          .version = rows.int8(row, 6)};
}

void add_put(Connection& connection, const AuthItem& item) {
  if (item.version == 0) {
    connection.add(kAdd, item.kind, item.key, item.owner, item.body, item.created_at, item.expires_at);
  } else {
    connection.add(kReplace, item.kind, item.key, item.owner, item.body, item.created_at, item.expires_at, item.version);
  }
}

// The first round trip: locks the owner, which must exist for grants and tokens, and writes the items. Each must change a row.
Result<bool> swap_items(Connection& connection, const AuthChange& change) {
  const bool needs_owner = !change.grants.empty() || !change.tokens.empty() || !change.replaced.empty();
  if (needs_owner) connection.add(kOwnerExists, change.owner);
  for (const AuthItem& item : change.puts) add_put(connection, item);
  if (!needs_owner && change.puts.empty()) return true;
  LADDER_TRY(const auto answers, connection.run());
  std::size_t at = 0;
  if (needs_owner && answers[at++].empty()) return fail(Code::kNotFound, "the owner does not exist in the store");
  for (; at < answers.size(); ++at) {
    if (answers[at].affected() != 1) return false;
  }
  return true;
}

void add_access(Connection& connection, const AuthChange& change) {
  for (const NewGrant& grant : change.grants) {
    connection.add(kAddGrant, change.owner, grant.grant_id, grant.client_id, grant.body, grant.issued_at, grant.expires_at,
                   static_cast<std::int64_t>(grant.single_use), grant.named);
  }
  for (const BoundToken& token : change.tokens) {
    connection.add(kAddToken, change.owner, crypto::view(token.hash), token.client_id, token.created_at, token.expires_at);
  }
  for (const Digest& hash : change.revoked_tokens) connection.add(kRevokeToken, crypto::view(hash), change.now);
  for (const std::string& grant : change.revoked_bindings) connection.add(kRevokeBindings, change.owner, grant, change.now);
  if (change.revoke_everything) {
    connection.add(kRevokeGrants, change.owner, change.now);
    connection.add(kRevokeTokens, change.owner, change.now);
  }
  for (const auto& [kind, key] : change.removes) connection.add(kRemove, kind, key);
}

// Checks the bindings, because a token without its grants would be useless.
Status bind_tokens(Connection& connection, const AuthChange& change) {
  std::size_t bindings = 0;
  for (const BoundToken& token : change.tokens) {
    std::int64_t position = 0;
    for (const std::string& id : token.grant_ids) {
      connection.add(kBindGrant, change.owner, crypto::view(token.hash), id, position++);
      ++bindings;
    }
  }
  if (bindings == 0) return {};
  LADDER_TRY(const auto answers, connection.run());
  for (std::size_t i = answers.size() - bindings; i < answers.size(); ++i) {
    if (answers[i].affected() != 1) return fail(Code::kNotFound, "the grant to bind a token to does not exist");
  }
  return {};
}

// Moves the tokens of a replaced grant to the new grant.
Status replace_grants(Connection& connection, const AuthChange& change) {
  for (const ReplacedGrant& grant : change.replaced) {
    connection.add(kEndGrant, change.owner, grant.from, change.now);
    LADDER_TRY(const auto ended, connection.run());
    if (ended.back().affected() != 1) return fail(Code::kConflict, format("grant {} has been revoked or replaced", grant.from));
    if (grant.to.empty()) continue;
    connection.add(kExtendTokens, change.owner, grant.from, grant.to);
    connection.add(kRebindTokens, change.owner, grant.from, grant.to);
  }
  return {};
}

Result<bool> apply_change(Connection& connection, const AuthChange& change) {
  connection.begin();
  LADDER_TRY(const bool swapped, swap_items(connection, change));
  if (!swapped) return false;  // the pool rolls it back
  add_access(connection, change);
  Status bound = bind_tokens(connection, change);
  if (bound) bound = replace_grants(connection, change);
  if (!bound && connection.sqlstate() == sqlstate::kUniqueViolation) {
    return fail(Code::kConflict, "this grant or token already exists: create another");
  }
  if (!bound) return std::unexpected(std::move(bound).error());
  const auto done = connection.commit();
  if (!done && connection.sqlstate() == sqlstate::kUniqueViolation) {
    return fail(Code::kConflict, "this grant or token already exists: create another");
  }
  if (!done) return std::unexpected(done.error());
  return true;
}

}  // namespace

Result<std::optional<AuthItem>> PostgresAuthStore::find(std::string_view kind, std::string_view key) {
  return pool_.read([&](Connection& connection) -> Result<std::optional<AuthItem>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFind, kind, key));
    if (rows.empty()) return std::nullopt;
    return read_item(rows, 0);
  });
}

Result<std::vector<AuthItem>> PostgresAuthStore::list(std::string_view kind, OwnerNo owner) {
  return pool_.read([&](Connection& connection) -> Result<std::vector<AuthItem>> {
    LADDER_TRY(const Rows rows, connection.run_one(kList, kind, owner));
    std::vector<AuthItem> items;
    items.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) items.push_back(read_item(rows, row));
    return items;
  });
}

Result<std::int64_t> PostgresAuthStore::count(std::string_view kind) {
  return pool_.read([&](Connection& connection) -> Result<std::int64_t> {
    LADDER_TRY(const Rows rows, connection.run_one(kCount, kind));
    return rows.int8(0, 0);
  });
}

Result<bool> PostgresAuthStore::apply(const AuthChange& change) {
  return pool_.run([&](Connection& connection) { return apply_change(connection, change); });
}

Result<std::int64_t> PostgresAuthStore::remove_expired(Instant now) {
  return pool_.run([&](Connection& connection) -> Result<std::int64_t> {
    connection.begin();
    connection.add(kRemoveExpired, now);
    LADDER_TRY(const auto done, connection.commit());
    return done.front().affected();
  });
}

}  // namespace ladder::store::postgres

// Grants and tokens. Tokens are stored as hashes only (design D16). That an owner's access_version follows every change is the
// work of two triggers in the schema.
#include "base/format.h"
#include "crypto/random.h"
#include "store/postgres/failure.h"
#include "store/postgres/postgres_store.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

#define LADDER_PG_GRANT_COLUMNS \
  "g.grant_no, g.owner_no, g.grant_id, g.client_id, g.body, g.issued_at, g.expires_at, g.revoked_at, g.single_use"

constexpr Statement kOwnerExists{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR KEY SHARE"};
constexpr Statement kAddGrant{
    "INSERT INTO grants (owner_no, grant_id, client_id, body, issued_at, expires_at, single_use)"
    " VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint <> 0)"};
constexpr Statement kAddToken{
    "INSERT INTO tokens (owner_no, hash, kind, client_id, created_at, expires_at)"
    " VALUES ($1::bigint, $2::bytea, $3::bigint, $4::text, $5::bigint, $6::bigint)"};
constexpr Statement kBindGrant{
    "INSERT INTO token_grants (token_no, position, grant_no) SELECT t.token_no, $3::bigint, g.grant_no"
    " FROM tokens t, grants g WHERE t.hash = $1::bytea AND g.grant_id = $2::text"};

constexpr Statement kFindToken{
    "SELECT t.token_no, t.owner_no, o.name, t.kind, t.client_id, t.created_at, t.expires_at, t.revoked_at, t.hash"
    " FROM tokens t JOIN owners o ON o.owner_no = t.owner_no WHERE t.hash = $1::bytea"};
constexpr Statement kGrantsOfToken{"SELECT " LADDER_PG_GRANT_COLUMNS
                                   " FROM tokens t JOIN token_grants b ON b.token_no = t.token_no"
                                   " JOIN grants g ON g.grant_no = b.grant_no WHERE t.hash = $1::bytea ORDER BY b.position"};
constexpr Statement kListGrants{"SELECT " LADDER_PG_GRANT_COLUMNS
                                " FROM grants g WHERE g.owner_no = $1::bigint ORDER BY g.grant_no"};
constexpr Statement kFindGrant{"SELECT " LADDER_PG_GRANT_COLUMNS
                               " FROM grants g WHERE g.grant_id = $2::text AND g.owner_no = $1::bigint"};
constexpr Statement kLockGrant{"SELECT " LADDER_PG_GRANT_COLUMNS
                               " FROM grants g WHERE g.grant_id = $2::text AND g.owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kRevokeGrant{"UPDATE grants SET revoked_at = $2::bigint WHERE grant_no = $1::bigint AND revoked_at IS NULL"};

GrantRow read_grant(const Rows& rows, int row) {
  return {.no = rows.int8(row, 0),
          .owner = rows.int8(row, 1),
          .grant_id = rows.text(row, 2),
          .client_id = rows.text(row, 3),
          .body = rows.text(row, 4),
          .issued_at = rows.int8(row, 5),
          .expires_at = rows.maybe_int8(row, 6),
          .revoked_at = rows.maybe_int8(row, 7),
          .single_use = rows.boolean(row, 8)};
}

std::vector<GrantRow> read_grants(const Rows& rows) {
  std::vector<GrantRow> grants;
  grants.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) grants.push_back(read_grant(rows, row));
  return grants;
}

Status add_access(Connection& connection, OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  connection.begin();
  LADDER_TRY(const Rows found, connection.run_one(kOwnerExists, owner));
  if (found.empty()) return fail(Code::kNotFound, "there is no such owner in the store");
  const std::string_view hash = crypto::view(token.hash);
  connection.add(kAddToken, owner, hash, static_cast<std::int64_t>(token.kind), token.client_id, token.created_at,
                 token.expires_at);
  std::int64_t position = 0;
  for (const NewGrant& grant : grants) {
    connection.add(kAddGrant, owner, grant.grant_id, grant.client_id, grant.body, grant.issued_at, grant.expires_at,
                   static_cast<std::int64_t>(grant.single_use));
    connection.add(kBindGrant, hash, grant.grant_id, position++);
  }
  const auto added = connection.commit();
  if (!added && connection.sqlstate() == sqlstate::kUniqueViolation) {
    return fail(Code::kConflict, "there is such a grant or token already: make another");
  }
  if (!added) return std::unexpected(added.error());
  return {};
}

}  // namespace

Status PostgresStore::add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  return pool_.run([&](Connection& connection) { return add_access(connection, owner, grants, token); });
}

Status PostgresStore::add_token(OwnerNo owner, const NewToken& token) {
  return pool_.run([&](Connection& connection) { return add_access(connection, owner, {}, token); });
}

Result<std::optional<TokenRow>> PostgresStore::find_token(const Digest& hash) {
  return pool_.run([&](Connection& connection) -> Result<std::optional<TokenRow>> {
    const std::string_view bytes = crypto::view(hash);
    connection.add(kGrantsOfToken, bytes);
    connection.add(kFindToken, bytes);
    LADDER_TRY(const auto answers, connection.run());
    const Rows& tokens = answers[1];
    if (tokens.empty() || !crypto::equal_in_constant_time(tokens.bytes(0, 8), bytes)) return std::nullopt;
    return TokenRow{.no = tokens.int8(0, 0),
                    .owner = tokens.int8(0, 1),
                    .owner_name = tokens.text(0, 2),
                    .kind = static_cast<TokenKind>(tokens.int8(0, 3)),
                    .client_id = tokens.text(0, 4),
                    .created_at = tokens.int8(0, 5),
                    .expires_at = tokens.maybe_int8(0, 6),
                    .revoked_at = tokens.maybe_int8(0, 7),
                    .grants = read_grants(answers[0])};
  });
}

Result<std::vector<GrantRow>> PostgresStore::grants(OwnerNo owner) {
  return pool_.run([&](Connection& connection) -> Result<std::vector<GrantRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kListGrants, owner));
    return read_grants(rows);
  });
}

Result<std::optional<GrantRow>> PostgresStore::find_grant(OwnerNo owner, std::string_view grant_id) {
  return pool_.run([&](Connection& connection) -> Result<std::optional<GrantRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindGrant, owner, grant_id));
    if (rows.empty()) return std::nullopt;
    return read_grant(rows, 0);
  });
}

Result<GrantRow> PostgresStore::revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now,
                                             Deadline /*patience: statements have timeouts of their own*/) {
  return pool_.run([&](Connection& connection) -> Result<GrantRow> {
    connection.begin();
    LADDER_TRY(const Rows found, connection.run_one(kLockGrant, owner, grant_id));
    if (found.empty()) return fail(Code::kNotFound, format("there is no grant {}: `ladder grant list` shows them", grant_id));
    GrantRow grant = read_grant(found, 0);
    if (!grant.revoked_at) {
      grant.revoked_at = now;
      connection.add(kRevokeGrant, grant.no, now);
    }
    LADDER_TRY(const auto done, connection.commit());
    return grant;
  });
}

}  // namespace ladder::store::postgres

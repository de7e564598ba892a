#include "store/postgres/engine/access_status.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/postgres_store.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindAccessStatus{"SELECT " LADDER_PG_ACCESS_STATUS_COLUMNS " FROM " LADDER_PG_ACCESS_STATUS_JOINS};

}  // namespace

Result<AccessStatusRow> PostgresStore::access_status(const Guard& guard) {
  return pool_.read([&](Connection& connection) -> Result<AccessStatusRow> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindAccessStatus, guard.owner, guard.token, guard.grant));
    const FoundAccessStatus found = read_access_status(rows, 0);
    access_status_cache_.keep(guard, found);
    return found.access_status;
  });
}

// Grants and tokens. Only hashes of tokens are stored (design D16). Two triggers in the schema increase the owner's
// access_version on every change.

namespace {

#define LADDER_PG_GRANT_COLUMNS \
  "g.grant_no, g.owner_no, g.grant_id, g.client_id, g.body, g.issued_at, g.expires_at, g.revoked_at, g.single_use"

constexpr Statement kOwnerExists{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR KEY SHARE"};
constexpr Statement kAddGrant{
    "INSERT INTO grants (owner_no, grant_id, client_id, body, issued_at, expires_at, single_use, named)"
    " VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::bigint, $6::bigint, $7::bigint <> 0, $8::bytea)"};
constexpr Statement kAddToken{
    "INSERT INTO tokens (owner_no, hash, kind, client_id, created_at, expires_at)"
    " VALUES ($1::bigint, $2::bytea, $3::bigint, $4::text, $5::bigint, $6::bigint)"};
constexpr Statement kBindGrant{
    "INSERT INTO token_grants (owner_no, token_no, position, grant_no) SELECT t.owner_no, t.token_no, $3::bigint, g.grant_no"
    " FROM tokens t, grants g WHERE t.hash = $1::bytea AND g.owner_no = t.owner_no AND g.grant_id = $2::text"};

constexpr Statement kFindToken{
    "SELECT t.token_no, t.owner_no, o.name, t.kind, t.client_id, t.created_at, t.expires_at, t.revoked_at, t.hash"
    " FROM tokens t JOIN owners o ON o.owner_no = t.owner_no WHERE t.hash = $1::bytea"};
constexpr Statement kGrantsOfToken{
    "SELECT " LADDER_PG_GRANT_COLUMNS
    " FROM tokens t JOIN token_grants b ON b.owner_no = t.owner_no AND b.token_no = t.token_no"
    " JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = b.grant_no WHERE t.hash = $1::bytea ORDER BY b.position"};
#define LADDER_PG_FULL_GRANT_COLUMNS \
  LADDER_PG_GRANT_COLUMNS            \
  ", g.named, (SELECT u.last_used_at FROM grant_uses u WHERE u.owner_no = g.owner_no AND u.grant_no = g.grant_no)"
constexpr Statement kNoteUse{
    "INSERT INTO grant_uses AS u (owner_no, grant_no, last_used_at) VALUES ($1::bigint, $2::bigint, $3::bigint)"
    " ON CONFLICT (owner_no, grant_no) DO UPDATE SET last_used_at = excluded.last_used_at"
    " WHERE u.last_used_at <= excluded.last_used_at - $4::bigint"};
constexpr Statement kListGrants{"SELECT " LADDER_PG_FULL_GRANT_COLUMNS
                                " FROM grants g WHERE g.owner_no = $1::bigint ORDER BY g.grant_no"};
constexpr Statement kFindGrant{"SELECT " LADDER_PG_FULL_GRANT_COLUMNS
                               " FROM grants g WHERE g.grant_id = $2::text AND g.owner_no = $1::bigint"};
constexpr Statement kLockGrant{"SELECT " LADDER_PG_FULL_GRANT_COLUMNS
                               " FROM grants g WHERE g.grant_id = $2::text AND g.owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kRevokeGrant{
    "UPDATE grants SET revoked_at = $2::bigint WHERE owner_no = :owner AND grant_no = $1::bigint AND revoked_at IS NULL"};

#define LADDER_PG_OWNER_TOKENS                                                                            \
  "SELECT t.token_no, t.owner_no, o.name, t.created_at, t.expires_at, t.revoked_at, t.hash FROM tokens t" \
  " JOIN owners o ON o.owner_no = t.owner_no WHERE t.owner_no = $1::bigint AND t.kind = 0"
constexpr Statement kListOwnerTokens{LADDER_PG_OWNER_TOKENS " ORDER BY t.token_no"};
constexpr Statement kFindOwnerToken{LADDER_PG_OWNER_TOKENS " AND t.token_no = $2::bigint"};
constexpr Statement kRevokeOwnerToken{
    "UPDATE tokens SET revoked_at = $3::bigint"
    " WHERE owner_no = $1::bigint AND token_no = $2::bigint AND kind = 0 AND revoked_at IS NULL"};
constexpr Statement kFindDeclaration{
    "SELECT d.body FROM sources s JOIN declarations d ON d.owner_no = s.owner_no AND d.source_no = s.source_no"
    " WHERE s.owner_no = $1::bigint AND s.source_id = $2::text AND d.version = $3::text"};

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

GrantRow read_full_grant(const Rows& rows, int row) {
  GrantRow grant = read_grant(rows, row);
  grant.named = rows.text(row, 9);
  grant.last_used_at = rows.maybe_int8(row, 10);
  return grant;
}

std::vector<GrantRow> read_grants(const Rows& rows, GrantRow (*read)(const Rows&, int)) {
  std::vector<GrantRow> grants;
  grants.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) grants.push_back(read(rows, row));
  return grants;
}

TokenRow read_owner_token(const Rows& rows, int row) {
  TokenRow token{.no = rows.int8(row, 0),
                 .owner = rows.int8(row, 1),
                 .owner_name = rows.text(row, 2),
                 .kind = TokenKind::kOwner,
                 .client_id = {},
                 .created_at = rows.int8(row, 3),
                 .expires_at = rows.maybe_int8(row, 4),
                 .revoked_at = rows.maybe_int8(row, 5),
                 .grants = {}};
  const std::string_view hash = rows.bytes(row, 6);
  token.hash = crypto::to_digest(hash);
  return token;
}

Status add_access(Connection& connection, OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  connection.begin();
  LADDER_TRY(const Rows found, connection.run_one(kOwnerExists, owner));
  if (found.empty()) return fail(Code::kNotFound, "the owner does not exist in the store");
  const std::string_view hash = crypto::view(token.hash);
  connection.add(kAddToken, owner, hash, static_cast<std::int64_t>(token.kind), token.client_id, token.created_at,
                 token.expires_at);
  std::int64_t position = 0;
  for (const NewGrant& grant : grants) {
    connection.add(kAddGrant, owner, grant.grant_id, grant.client_id, grant.body, grant.issued_at, grant.expires_at,
                   static_cast<std::int64_t>(grant.single_use), grant.named);
    connection.add(kBindGrant, hash, grant.grant_id, position++);
  }
  const auto added = connection.commit();
  if (!added && connection.sqlstate() == sqlstate::kUniqueViolation) {
    return fail(Code::kConflict, "this grant or token already exists: create another");
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
  return pool_.read([&](Connection& connection) -> Result<std::optional<TokenRow>> {
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
                    .grants = read_grants(answers[0], read_grant)};
  });
}

Result<std::vector<GrantRow>> PostgresStore::grants(OwnerNo owner) {
  return pool_.read([&](Connection& connection) -> Result<std::vector<GrantRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kListGrants, owner));
    return read_grants(rows, read_full_grant);
  });
}

Result<std::optional<GrantRow>> PostgresStore::find_grant(OwnerNo owner, std::string_view grant_id) {
  return pool_.read([&](Connection& connection) -> Result<std::optional<GrantRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindGrant, owner, grant_id));
    if (rows.empty()) return std::nullopt;
    return read_full_grant(rows, 0);
  });
}

Result<GrantRow> PostgresStore::revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) {
  const auto revoke = [&](Connection& connection) -> Result<GrantRow> {
    connection.begin();
    LADDER_TRY(const Rows found, connection.run_one(kLockGrant, owner, grant_id));
    if (found.empty()) return fail(Code::kNotFound, format("there is no grant {}: `ladder grant list` shows them", grant_id));
    GrantRow grant = read_full_grant(found, 0);
    if (!grant.revoked_at) {
      grant.revoked_at = now;
      connection.add(kRevokeGrant, grant.no, now);
    }
    LADDER_TRY(const auto done, connection.commit());
    return grant;
  };
  return pool_.run(owner, revoke, wait_limit);
}

Result<std::vector<TokenRow>> PostgresStore::owner_tokens(OwnerNo owner) {
  return pool_.read([&](Connection& connection) -> Result<std::vector<TokenRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kListOwnerTokens, owner));
    std::vector<TokenRow> tokens;
    tokens.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) tokens.push_back(read_owner_token(rows, row));
    return tokens;
  });
}

Result<TokenRow> PostgresStore::revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) {
  return pool_.run([&](Connection& connection) -> Result<TokenRow> {
    connection.begin();
    connection.add(kRevokeOwnerToken, owner, token, now);
    LADDER_TRY(const Rows found, connection.run_last(kFindOwnerToken, owner, token));
    if (found.empty()) return fail(Code::kNotFound, "there is no such token: `ladder token list` shows them");
    TokenRow revoked = read_owner_token(found, 0);
    LADDER_TRY(const auto done, connection.commit());
    return revoked;
  });
}

Status PostgresStore::record_grant_uses(std::span<const GrantUse> uses) {
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    for (const GrantUse& use : uses) connection.add(kNoteUse, use.owner, use.grant, use.at, kGrantUseStep);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Result<std::optional<std::string>> PostgresStore::declaration(OwnerNo owner, std::string_view source_id,
                                                              std::string_view version) {
  return pool_.read([&](Connection& connection) -> Result<std::optional<std::string>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindDeclaration, owner, source_id, version));
    if (rows.empty()) return std::nullopt;
    return rows.text(0, 0);
  });
}

}  // namespace ladder::store::postgres

// Grants and tokens. Only hashes of tokens are stored (design D16).
#include "base/text/format.h"
#include "crypto/random.h"
#include "store/catalog/access_rows.h"
#include "store/catalog/catalog_store.h"

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

constexpr Statement kAddGrant{
    "INSERT INTO grants (owner_no, grant_no, grant_id, client_id, issued_at, expires_at, single_use, body, named)"
    " VALUES ($1, nextval('grant_no'), $2, $3, $4, $5, $6 <> 0, $7, $8)"};
constexpr Statement kAddToken{
    "INSERT INTO tokens (owner_no, token_no, hash, kind, client_id, created_at, expires_at)"
    " VALUES ($1, nextval('token_no'), $2, $3, $4, $5, $6)"};
constexpr Statement kBindGrant{
    "INSERT INTO token_grants (owner_no, token_no, grant_no) SELECT t.owner_no, t.token_no, g.grant_no FROM tokens t"
    " JOIN grants g ON g.owner_no = t.owner_no WHERE t.hash = $2 AND t.owner_no = $1 AND g.grant_id = $3"};

#define LADDER_GRANT_COLUMNS \
  "g.grant_no, g.owner_no, g.grant_id, g.client_id, g.issued_at, g.expires_at, g.revoked_at, g.single_use, g.body"
#define LADDER_GRANTS                                                                         \
  "SELECT " LADDER_GRANT_COLUMNS                                                              \
  ", g.named, u.last_used_at FROM grants g LEFT JOIN grant_uses u ON u.owner_no = g.owner_no" \
  " AND u.grant_no = g.grant_no WHERE g.owner_no = $1"
constexpr Statement kGrantsOfToken{
    "SELECT " LADDER_GRANT_COLUMNS
    " FROM tokens t JOIN token_grants b ON b.owner_no = t.owner_no AND b.token_no = t.token_no"
    " JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = b.grant_no WHERE t.hash = $1 ORDER BY b.grant_no"};
constexpr Statement kListGrants{LADDER_GRANTS " ORDER BY g.grant_no"};
constexpr Statement kFindGrant{LADDER_GRANTS " AND g.grant_id = $2"};
constexpr Statement kRevokeGrant{
    "UPDATE grants SET revoked_at = $3 WHERE owner_no = $1 AND grant_id = $2 AND revoked_at IS NULL"};

#define LADDER_TOKENS                                                                                              \
  "SELECT t.token_no, t.owner_no, o.name, t.kind, t.client_id, t.created_at, t.expires_at, t.revoked_at, t.hash, " \
  "o.suspended_at FROM tokens t"                                                                                   \
  " JOIN owners o ON o.owner_no = t.owner_no WHERE "
constexpr Statement kFindToken{LADDER_TOKENS "t.hash = $1"};
constexpr Statement kOwnerTokens{LADDER_TOKENS "t.owner_no = $1 AND t.kind = 0 ORDER BY t.token_no"};
constexpr Statement kFindOwnerToken{LADDER_TOKENS "t.owner_no = $1 AND t.kind = 0 AND t.token_no = $2"};
constexpr Statement kRevokeOwnerToken{
    "UPDATE tokens SET revoked_at = $3 WHERE owner_no = $1 AND token_no = $2 AND kind = 0 AND revoked_at IS NULL"};

constexpr Statement kBoundTokens{
    "SELECT t.hash, t.kind, t.client_id, t.created_at, t.expires_at, g.grant_id FROM tokens t"
    " LEFT JOIN token_grants b ON b.owner_no = t.owner_no AND b.token_no = t.token_no"
    " LEFT JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = b.grant_no AND g.revoked_at IS NULL"
    " WHERE t.owner_no = $1 AND t.revoked_at IS NULL ORDER BY t.token_no, g.grant_no"};

constexpr Statement kRecentUse{"SELECT 1 FROM grant_uses WHERE owner_no = $1 AND grant_no = $2 AND last_used_at > $3"};
constexpr Statement kRecordUse{
    "INSERT INTO grant_uses (owner_no, grant_no, last_used_at) VALUES ($1, $2, $3) ON CONFLICT (owner_no, grant_no)"
    " DO UPDATE SET last_used_at = excluded.last_used_at WHERE grant_uses.last_used_at < excluded.last_used_at"};

GrantRow read_grant(const Row& row) {
  return {.no = row.integer(0),
          .owner = row.integer(1),
          .grant_id = row.text(2),
          .client_id = row.text(3),
          .body = row.text(8),
          .issued_at = row.integer(4),
          .expires_at = row.maybe_integer(5),
          .revoked_at = row.maybe_integer(6),
          .single_use = row.integer(7) != 0};
}

GrantRow read_full_grant(const Row& row) {
  GrantRow grant = read_grant(row);
  grant.named = row.text(9);
  grant.last_used_at = row.maybe_integer(10);
  return grant;
}

TokenRow read_token(const Row& row) {
  return {.no = row.integer(0),
          .owner = row.integer(1),
          .owner_name = row.text(2),
          .kind = static_cast<TokenKind>(row.integer(3)),
          .client_id = row.text(4),
          .created_at = row.integer(5),
          .expires_at = row.maybe_integer(6),
          .revoked_at = row.maybe_integer(7),
          .grants = {},
          .hash = crypto::to_digest(row.bytes(8)),
          .owner_suspended = !row.is_null(9)};
}

Status add_access(Session& session, OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  LADDER_TRY(const Rows owners, session.run_last(kLockOwnerKey, owner));
  if (owners.empty()) return no_such_owner();
  insert_token(session, owner, token);
  for (const NewGrant& grant : grants) {
    insert_grant(session, owner, grant);
    bind_grant(session, owner, token.hash, grant.grant_id);
  }
  return session.commit();
}

}  // namespace

void insert_grant(Session& session, OwnerNo owner, const NewGrant& grant) {
  session.add(kAddGrant, owner, grant.grant_id, grant.client_id, grant.issued_at, grant.expires_at, grant.single_use, grant.body,
              Bytes{grant.named});
}

void insert_token(Session& session, OwnerNo owner, const NewToken& token) {
  session.add(kAddToken, owner, Bytes{crypto::view(token.hash)}, static_cast<int>(token.kind), token.client_id, token.created_at,
              token.expires_at);
}

void bind_grant(Session& session, OwnerNo owner, const Digest& token, std::string_view grant_id) {
  session.add(kBindGrant, owner, Bytes{crypto::view(token)}, grant_id);
}

Status explained(Status done) {
  if (!done && done.error().message == sql::kExistsAlready) {
    done.error().message = "this grant or token already exists: create another";
  }
  return done;
}

Status CatalogStore::add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) {
  return database_.write(owner, {.adds_grants = true},
                         [&](Session& session) { return explained(add_access(session, owner, grants, token)); });
}

Status CatalogStore::add_token(OwnerNo owner, const NewToken& token) { return add_grants(owner, {}, token); }

Result<std::optional<TokenRow>> CatalogStore::find_token(const Digest& hash) {
  return database_.read(0, [&](Session& session) -> Result<std::optional<TokenRow>> {
    const Bytes bytes{crypto::view(hash)};
    session.sign_in();
    session.add(kGrantsOfToken, bytes);
    session.add(kFindToken, bytes);
    LADDER_TRY(const auto answers, session.run());
    std::optional<TokenRow> token = answers[1].first(read_token);
    if (!token || !crypto::equal_in_constant_time(crypto::view(token->hash), bytes.bytes)) return std::nullopt;
    token->grants = answers[0].all(read_grant);
    return token;
  });
}

Result<std::vector<GrantRow>> CatalogStore::grants(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<std::vector<GrantRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kListGrants, owner));
    return rows.all(read_full_grant);
  });
}

Result<std::optional<GrantRow>> CatalogStore::find_grant(OwnerNo owner, std::string_view grant_id) {
  return database_.read(owner, [&](Session& session) -> Result<std::optional<GrantRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kFindGrant, owner, grant_id));
    return rows.first(read_full_grant);
  });
}

Result<GrantRow> CatalogStore::revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) {
  return database_.write(owner, {.is_revocation = true, .wait_limit = wait_limit}, [&](Session& session) -> Result<GrantRow> {
    session.add(kRevokeGrant, owner, grant_id, now);
    LADDER_TRY(const Rows found, session.run_last(kFindGrant, owner, grant_id));
    if (found.empty()) return fail(Code::kNotFound, format("there is no grant {}: `ladder grant list` shows them", grant_id));
    LADDER_CHECK(session.commit());
    return read_full_grant(found[0]);
  });
}

Result<std::vector<BoundTokenRow>> CatalogStore::bound_tokens(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<std::vector<BoundTokenRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kBoundTokens, owner));
    std::vector<BoundTokenRow> tokens;
    for (int i = 0; i < rows.size(); ++i) {
      const Row row = rows[i];
      const Digest hash = crypto::to_digest(row.bytes(0));
      if (tokens.empty() || tokens.back().hash != hash) {
        tokens.push_back({hash, static_cast<TokenKind>(row.integer(1)), row.text(2), row.integer(3), row.maybe_integer(4), {}});
      }
      if (!row.is_null(5)) tokens.back().grant_ids.push_back(row.text(5));
    }
    return tokens;
  });
}

Result<std::vector<TokenRow>> CatalogStore::owner_tokens(OwnerNo owner) {
  return database_.read(owner, [&](Session& session) -> Result<std::vector<TokenRow>> {
    LADDER_TRY(const Rows rows, session.run_last(kOwnerTokens, owner));
    return rows.all(read_token);
  });
}

Result<TokenRow> CatalogStore::revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) {
  return database_.write(owner, {.is_revocation = true}, [&](Session& session) -> Result<TokenRow> {
    session.add(kRevokeOwnerToken, owner, token, now);
    LADDER_TRY(const Rows found, session.run_last(kFindOwnerToken, owner, token));
    if (found.empty()) return fail(Code::kNotFound, "there is no such token: `ladder token list` shows them");
    LADDER_CHECK(session.commit());
    return read_token(found[0]);
  });
}

// Reads before it writes, because most uses are recent.
Status CatalogStore::record_grant_uses(std::span<const GrantUse> uses) {
  const auto recent = database_.read(0, [&](Session& session) {
    for (const GrantUse& use : uses) {
      session.work_for(use.owner);
      session.add(kRecentUse, use.owner, use.grant, use.at - kGrantUseStep);
    }
    return session.run();
  });
  if (!recent) return std::unexpected(recent.error());
  if (std::ranges::none_of(*recent, &Rows::empty)) return {};
  return database_.write(0, {}, [&](Session& session) -> Status {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (!(*recent)[i].empty()) continue;
      session.work_for(uses[i].owner);
      session.add(kRecordUse, uses[i].owner, uses[i].grant, uses[i].at);
    }
    return session.commit();
  });
}

}  // namespace ladder::store

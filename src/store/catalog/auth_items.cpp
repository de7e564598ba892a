#include "store/catalog/items.h"

#include "base/text/format.h"
#include "store/catalog/access_rows.h"

#include <algorithm>

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

#define LADDER_ITEM_COLUMNS "SELECT kind, key, owner_no, body, created_at, expires_at, version FROM auth_items "

constexpr Statement kFind{LADDER_ITEM_COLUMNS "WHERE kind = $1 AND key = $2"};
constexpr Statement kList{LADDER_ITEM_COLUMNS "WHERE kind = $1 AND owner_no = $2 ORDER BY created_at, key"};
constexpr Statement kCount{"SELECT count(*) FROM auth_items WHERE kind = $1"};
constexpr Statement kOwnersWith{"SELECT DISTINCT owner_no FROM auth_items WHERE kind = $1 AND owner_no > 0 ORDER BY owner_no"};
constexpr Statement kAdd{
    "INSERT INTO auth_items (kind, key, owner_no, body, created_at, expires_at, version)"
    " VALUES ($1, $2, $3, $4, $5, $6, 1) ON CONFLICT (kind, key) DO NOTHING"};
constexpr Statement kReplace{
    "UPDATE auth_items SET owner_no = $3, body = $4, created_at = $5, expires_at = $6, version = version + 1"
    " WHERE kind = $1 AND key = $2 AND version = $7"};
constexpr Statement kRemove{"DELETE FROM auth_items WHERE kind = $1 AND key = $2"};
constexpr Statement kAnyExpired{"SELECT 1 FROM auth_items WHERE expires_at <= $1 LIMIT 1"};
constexpr Statement kRemoveExpired{"DELETE FROM auth_items WHERE expires_at <= $1"};

#define LADDER_OPEN_TOKENS "kind = 1 AND revoked_at IS NULL"
// The tokens that are bound to the grant $2 of the owner $1.
#define LADDER_BOUND_TOKENS                                                                                       \
  "token_no IN (SELECT b.token_no FROM token_grants b JOIN grants g ON g.owner_no = b.owner_no AND g.grant_no = " \
  "b.grant_no WHERE g.owner_no = $1 AND g.grant_id = $2)"
#define LADDER_GRANT(column, id) "(SELECT " column " FROM grants WHERE owner_no = $1 AND grant_id = " id ")"

constexpr Statement kEndGrant{"UPDATE grants SET revoked_at = $3 WHERE owner_no = $1 AND grant_id = $2 AND revoked_at IS NULL"};
constexpr Statement kExtendTokens{"UPDATE tokens SET expires_at = " LADDER_GRANT(
    "expires_at", "$3") " WHERE owner_no = $1 AND " LADDER_OPEN_TOKENS
                        " AND expires_at = " LADDER_GRANT("expires_at", "$2") " AND " LADDER_BOUND_TOKENS};
// Keeps the token's binding to the old grant, as a record of what it could read.
constexpr Statement kRebindTokens{
    "INSERT INTO token_grants (owner_no, token_no, grant_no) SELECT b.owner_no, b.token_no, n.grant_no FROM grants o"
    " JOIN token_grants b ON b.owner_no = o.owner_no AND b.grant_no = o.grant_no JOIN grants n ON n.owner_no = o.owner_no"
    " WHERE o.owner_no = $1 AND o.grant_id = $2 AND n.grant_id = $3"};
constexpr Statement kRevokeToken{"UPDATE tokens SET revoked_at = $3 WHERE owner_no = $1 AND hash = $2 AND " LADDER_OPEN_TOKENS};
constexpr Statement kRevokeBindings{"UPDATE tokens SET revoked_at = $3 WHERE owner_no = $1 AND " LADDER_OPEN_TOKENS
                                    " AND " LADDER_BOUND_TOKENS};
constexpr Statement kRevokeGrants{"UPDATE grants SET revoked_at = $2 WHERE owner_no = $1 AND revoked_at IS NULL"};
constexpr Statement kRevokeTokens{"UPDATE tokens SET revoked_at = $2 WHERE owner_no = $1 AND " LADDER_OPEN_TOKENS};

AuthItem read_item(const Row& row) {
  return {.kind = row.text(0),
          .key = row.text(1),
          .owner = row.integer(2),
          .body = row.text(3),
          .created_at = row.integer(4),
          .expires_at = row.maybe_integer(5),
          .version = row.integer(6)};
}

bool changed_one(const Rows& rows) { return rows.affected() == 1; }

void add_put(Session& session, const AuthItem& item) {
  const Bytes key{item.key}, body{item.body};
  if (item.version == 0) session.add(kAdd, item.kind, key, item.owner, body, item.created_at, item.expires_at);
  else session.add(kReplace, item.kind, key, item.owner, body, item.created_at, item.expires_at, item.version);
}

// Locks the owner, which must exist for grants and tokens, and writes the items. Returns false unless each changes a row.
Result<bool> swap_items(Session& session, const AuthChange& change) {
  const bool needs_owner = !change.grants.empty() || !change.tokens.empty() || !change.replaced.empty();
  if (!needs_owner && change.puts.empty()) return true;
  if (needs_owner) session.add(kLockOwnerKey, change.owner);
  for (const AuthItem& item : change.puts) add_put(session, item);
  LADDER_TRY(const auto answers, session.run());
  if (needs_owner && answers.front().empty()) return no_such_owner();
  return std::all_of(answers.begin() + (needs_owner ? 1 : 0), answers.end(), changed_one);
}

void add_revocations(Session& session, const AuthChange& change) {
  for (const Digest& hash : change.revoked_tokens) session.add(kRevokeToken, change.owner, Bytes{crypto::view(hash)}, change.now);
  for (const std::string& grant : change.revoked_bindings) session.add(kRevokeBindings, change.owner, grant, change.now);
  if (!change.revoke_everything) return;
  session.add(kRevokeGrants, change.owner, change.now);
  session.add(kRevokeTokens, change.owner, change.now);
}

// Checks the bindings, because a token without its grants would be useless.
Status add_access(Session& session, const AuthChange& change) {
  for (const NewGrant& grant : change.grants) insert_grant(session, change.owner, grant);
  for (const BoundToken& token : change.tokens) {
    insert_token(session, change.owner, {token.hash, TokenKind::kClient, token.client_id, token.created_at, token.expires_at});
  }
  std::ptrdiff_t bindings = 0;
  for (const BoundToken& token : change.tokens) {
    for (const std::string& id : token.grant_ids) bind_grant(session, change.owner, token.hash, id);
    bindings += std::ssize(token.grant_ids);
  }
  if (bindings == 0) return {};
  LADDER_TRY(const auto answers, session.run());
  if (std::all_of(answers.end() - bindings, answers.end(), changed_one)) return {};
  return fail(Code::kNotFound, "the grant to bind a token to does not exist");
}

// Moves the tokens of a replaced grant to the new grant.
Status replace_grants(Session& session, const AuthChange& change) {
  for (const ReplacedGrant& grant : change.replaced) {
    LADDER_TRY(const Rows ended, session.run_last(kEndGrant, change.owner, grant.from, change.now));
    if (ended.affected() != 1) return fail(Code::kConflict, format("grant {} has been revoked or replaced", grant.from));
    if (grant.to.empty()) continue;
    session.add(kExtendTokens, change.owner, grant.from, grant.to);
    session.add(kRebindTokens, change.owner, grant.from, grant.to);
  }
  return {};
}

Status apply_access(Session& session, const AuthChange& change) {
  LADDER_CHECK(add_access(session, change));
  LADDER_CHECK(replace_grants(session, change));
  add_revocations(session, change);
  for (const auto& [kind, key] : change.removes) session.add(kRemove, kind, Bytes{key});
  return session.commit();
}

}  // namespace

Result<std::optional<AuthItem>> AuthItems::find(std::string_view kind, std::string_view key) {
  return database_.read(0, [&](Session& session) -> Result<std::optional<AuthItem>> {
    LADDER_TRY(const Rows rows, session.run_last(kFind, kind, Bytes{key}));
    return rows.first(read_item);
  });
}

Result<std::vector<AuthItem>> AuthItems::list(std::string_view kind, OwnerNo owner) {
  return database_.read(0, [&](Session& session) -> Result<std::vector<AuthItem>> {
    LADDER_TRY(const Rows rows, session.run_last(kList, kind, owner));
    return rows.all(read_item);
  });
}

Result<std::int64_t> AuthItems::count(std::string_view kind) {
  return database_.read(0, [&](Session& session) -> Result<std::int64_t> {
    LADDER_TRY(const Rows rows, session.run_last(kCount, kind));
    return rows[0].integer(0);
  });
}

Result<std::vector<OwnerNo>> AuthItems::owners_with(std::string_view kind) {
  return database_.read(0, [&](Session& session) -> Result<std::vector<OwnerNo>> {
    LADDER_TRY(const Rows rows, session.run_last(kOwnersWith, kind));
    return rows.all([](const Row& row) { return row.integer(0); });
  });
}

Result<bool> AuthItems::apply(const AuthChange& change) {
  const bool revokes = change.revoke_everything || !change.revoked_tokens.empty() || !change.revoked_bindings.empty();
  const sql::WriteOptions options{.is_revocation = revokes, .adds_grants = !change.grants.empty()};
  return database_.write(change.owner, options, [&](Session& session) -> Result<bool> {
    LADDER_TRY(const bool swapped, swap_items(session, change));
    if (!swapped) return false;
    LADDER_CHECK(explained(apply_access(session, change)));
    return true;
  });
}

// Looks for expired items first, which avoids an empty write transaction.
Result<std::int64_t> AuthItems::remove_expired(Instant now) {
  const auto any_expired = database_.read(0, [&](Session& session) { return session.run_last(kAnyExpired, now); });
  if (!any_expired) return std::unexpected(any_expired.error());
  if (any_expired->empty()) return 0;
  return database_.write(0, {}, [&](Session& session) -> Result<std::int64_t> {
    LADDER_TRY(const Rows removed, session.run_last(kRemoveExpired, now));
    LADDER_CHECK(session.commit());
    return removed.affected();
  });
}

}  // namespace ladder::store

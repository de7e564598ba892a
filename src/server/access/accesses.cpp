#include "server/access/accesses.h"

#include "base/text/format.h"
#include "model/quote.h"
#include "server/access/read_scope.h"
#include "server/access/token.h"

#include <algorithm>

namespace ladder::server {
namespace {

std::unexpected<Error> not_valid() {
  return fail(
      Code::kAuthentication,
      "the token is missing, unknown or no longer valid; the owner can create one with `ladder grant create` or `ladder token "
      "create`");
}

bool is_past(const std::optional<Instant>& expires_at, Instant now) { return expires_at && now >= *expires_at; }

// Explains why none of a client token's grants is usable. It reports the newest grant, since a recent revocation
// matters more than an old expiry.
std::unexpected<Error> no_grant_stands(const store::TokenRow& token) {
  if (token.grants.empty()) return not_valid();
  const store::GrantRow& newest = token.grants.back();
  if (newest.revoked_at) {
    return fail(Code::kGrantRevoked, format("the owner has revoked grant {}; ask for a new one", newest.grant_id));
  }
  return fail(Code::kGrantExpired, format("grant {} has expired; ask the owner for a new one", newest.grant_id));
}

}  // namespace

Result<Access> Accesses::authenticate(std::string_view token) {
  if (!has_token_shape(token)) return not_valid();
  const Instant now = clock_.now();
  const auto hash = token_hash(token);
  if (auto kept = known_.find(hash, now)) return *std::move(kept);
  LADDER_TRY(auto row, store_.find_token(hash));
  if (!row || row->revoked_at) return not_valid();
  if (row->owner_suspended) return owner_is_suspended();
  for (store::GrantRow& grant : row->grants) revocations_.apply(grant);

  Access access;
  access.owner_ = row->owner;
  access.owner_name_ = row->owner_name;
  access.is_owner_ = row->kind == store::TokenKind::kOwner;
  access.client_id_ = row->client_id;
  access.token_ = row->no;
  std::optional<Instant> ends_at = row->expires_at;
  if (!access.is_owner_) {
    for (const store::GrantRow& grant : row->grants) {
      if (grant.revoked_at || is_past(grant.expires_at, now)) continue;
      if (grant.expires_at && (!ends_at || *grant.expires_at < *ends_at)) ends_at = grant.expires_at;
      LADDER_TRY(auto held, grants_.get(grant));
      access.grants_.push_back(std::move(held));
    }
    // Checked before the token's own expiry: the token expires with its grants, and the grant error is the one the
    // client can act on.
    if (access.grants_.empty()) return no_grant_stands(*row);
  }
  if (is_past(row->expires_at, now)) return not_valid();
  known_.keep(hash, access, now, ends_at);
  uses_.note(access, now);  // at most once a second, because the cache handles calls in between
  return access;
}

std::optional<KnownCaller> Accesses::recall(std::string_view token) const {
  if (!has_token_shape(token)) return std::nullopt;
  return known_.recall(token_hash(token));
}

Access Accesses::owner_access(const store::OwnerRow& owner) {
  Access access;
  access.owner_ = owner.no;
  access.owner_name_ = owner.name;
  access.is_owner_ = true;
  return access;
}

Result<Access> Accesses::local_owner(std::string_view owner_name) {
  LADDER_TRY(Access access, moving_owner(owner_name));
  access.ignores_suspension_ = false;
  LADDER_CHECK(check_still_valid(access));
  return access;
}

Result<Access> Accesses::local_owner(store::OwnerNo owner) {
  LADDER_TRY(const auto row, store_.owner(owner));
  if (!row) return fail(Code::kNotFound, "the owner does not exist any more");
  if (row->suspended_at) return owner_is_suspended();
  return owner_access(*row);
}

Result<Access> Accesses::moving_owner(std::string_view owner_name) {
  LADDER_TRY(const auto owner, store_.find_owner(owner_name));
  if (!owner) {
    return fail(Code::kNotSetUp,
                format("the store has no owner {}: correct --owner (`ladder owner list` shows the owners), or add the owner with "
                       "`ladder owner add`",
                       model::in_quotes(owner_name)),
                "owner");
  }
  Access access = owner_access(*owner);
  access.ignores_suspension_ = true;
  return access;
}

Status Accesses::check_still_valid(const Access& access) {
  if (access.token() == 0) {  // nothing of it expires
    LADDER_TRY(const auto access_status, store_.access_status({access.owner(), 0, 0}));
    if (access_status.owner_suspended && !access.ignores_suspension()) return owner_is_suspended();
    return {};
  }
  if (access.is_owner()) {
    LADDER_TRY(const auto access_status, store_.access_status({access.owner(), access.token(), 0}));
    return check_access_status(access, nullptr, access_status, clock_.now());
  }
  // The response may use any of the grants.
  for (const auto& held : access.grants()) {
    LADDER_TRY(const auto access_status, store_.access_status({access.owner(), access.token(), held->no}));
    LADDER_CHECK(check_access_status(access, held.get(), access_status, clock_.now()));
  }
  return {};
}

Status Accesses::require_owner(const Access& access) {
  if (!access.is_owner()) {
    return fail(Code::kPermission, "only the owner may do that; a client's token reads what its grants cover");
  }
  return check_still_valid(access);
}

Access Accesses::under_grants(const Access& owner, std::string_view client_id,
                              std::vector<std::shared_ptr<const HeldGrant>> grants) {
  Access access;
  access.owner_ = owner.owner();
  access.owner_name_ = owner.owner_name();
  access.client_id_ = client_id;
  access.grants_ = std::move(grants);
  return access;
}

Status Accesses::flush_uses() {
  const auto due = uses_.take(clock_.now());
  if (due.empty()) return {};
  Status kept = store_.record_grant_uses(due);
  if (!kept) uses_.restore(due);
  return kept;
}

}  // namespace ladder::server

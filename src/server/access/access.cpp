// Creates an Access from a token or from the right to open the store, and checks that it is still valid (design D14,
// D16).
#include "server/access/access.h"

#include "base/text/format.h"
#include "model/quote.h"
#include "server/access/read_scope.h"
#include "server/access/token.h"
#include "server/resource_server.h"

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

Result<Access> ResourceServer::authenticate(std::string_view token) {
  if (!has_token_shape(token)) return not_valid();
  const Instant now = clock_.now();
  const auto hash = token_hash(token);
  if (auto kept = accesses_.find(hash, now)) return *std::move(kept);
  LADDER_TRY(auto row, store_.find_token(hash));
  if (!row || row->revoked_at) return not_valid();
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
      LADDER_TRY(auto held, parsed_grants_.get(grant));
      access.grants_.push_back(std::move(held));
    }
    // Checked before the token's own expiry: the token expires with its grants, and the grant error is the one the
    // client can act on.
    if (access.grants_.empty()) return no_grant_stands(*row);
  }
  if (is_past(row->expires_at, now)) return not_valid();
  accesses_.keep(hash, access, now, ends_at);
  uses_.note(access, now);  // at most once a second, because the cache handles calls in between
  return access;
}

Deadline Access::deadline(int milliseconds) const {
  const auto whole = std::chrono::milliseconds(milliseconds);
  if (!arrived_) return Deadline::after(whole);
  const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - *arrived_);
  return Deadline::after(whole - gone);
}

std::optional<KnownCaller> ResourceServer::recall(std::string_view token) const {
  if (!has_token_shape(token)) return std::nullopt;
  return accesses_.recall(token_hash(token));
}

Result<Access> ResourceServer::local_owner(std::string_view owner_name) {
  LADDER_TRY(const auto owner, store_.find_owner(owner_name));
  if (!owner) {
    LADDER_TRY(const auto owners, store_.owners());
    std::string names;
    for (const store::OwnerRow& row : owners) names += (names.empty() ? "" : ", ") + model::in_quotes(row.name);
    return fail(Code::kNotSetUp,
                format("the store has no owner {}; {}, and `ladder init --owner NAME` adds one", model::in_quotes(owner_name),
                       names.empty() ? "it has none yet" : "it has " + names),
                "owner");
  }
  Access access;
  access.owner_ = owner->no;
  access.owner_name_ = owner->name;
  access.is_owner_ = true;
  return access;
}

Status ResourceServer::check_access_still_valid(const Access& access) {
  if (access.token() == 0) return {};
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

Status ResourceServer::require_owner(const Access& access) {
  if (!access.is_owner()) {
    return fail(Code::kPermission, "only the owner may do that; a client's token reads what its grants cover");
  }
  return check_access_still_valid(access);
}

std::optional<Access> AccessCache::find(const crypto::Digest& token_hash, Instant now) {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(token_hash);
  if (found == kept_.end() || now >= found->second.until || now < found->second.until - kCacheLife) return std::nullopt;
  return found->second.access;
}

void AccessCache::keep(const crypto::Digest& token_hash, const Access& access, Instant now, std::optional<Instant> ends_at) {
  const MutexLock lock(mutex_);
  if (kept_.size() >= kMax && !kept_.contains(token_hash)) kept_.clear();
  kept_.insert_or_assign(token_hash, Kept{access, std::min(now + kCacheLife, ends_at.value_or(now + kCacheLife))});
}

void AccessCache::forget_all() {
  const MutexLock lock(mutex_);
  for (auto& [hash, kept] : kept_) kept.until = 0;
}

std::optional<KnownCaller> AccessCache::recall(const crypto::Digest& token_hash) const {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(token_hash);
  if (found == kept_.end()) return std::nullopt;
  const Access& access = found->second.access;
  return KnownCaller{access.owner(), access.client_id(), access.is_owner()};
}

}  // namespace ladder::server

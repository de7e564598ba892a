#include "server/owner/owner_tokens.h"

#include "base/text/format.h"
#include "model/quote.h"
#include "server/access/token.h"

#include <algorithm>

namespace ladder::server {
namespace {

bool is_past(const std::optional<Instant>& expires_at, Instant now) { return expires_at && now >= *expires_at; }

bool stands(const store::GrantRow& grant, Instant now) { return !grant.revoked_at && !is_past(grant.expires_at, now); }

// Checks in the same order as authenticate(); the newest grant determines the reason.
std::string inactive_reason_of(const store::TokenRow& token, Instant now) {
  if (token.revoked_at) return "token_revoked";
  if (token.kind == store::TokenKind::kClient) {
    if (token.grants.empty()) return "token_revoked";
    const bool any = std::ranges::any_of(token.grants, [&](const store::GrantRow& grant) { return stands(grant, now); });
    if (!any) return token.grants.back().revoked_at ? "grant_revoked" : "grant_expired";
  }
  return is_past(token.expires_at, now) ? "token_expired" : "";
}

constexpr Instant kDefaultTokenLife = 365 * kDay;

OwnerToken described(const store::TokenRow& row, Instant now) {
  const bool expired = row.expires_at && now >= *row.expires_at;
  return {token_id(row.hash), row.created_at, row.expires_at, row.revoked_at,
          row.revoked_at ? "revoked"
          : expired      ? "expired"
                         : "active"};
}

}  // namespace

// Another owner's token is reported as unknown.
Result<TokenInfo> OwnerTokens::introspect(const Access& access, std::string_view token) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  TokenInfo facts;
  if (!has_token_shape(token)) return facts;
  LADDER_TRY(auto row, shared_.store.find_token(token_hash(token)));
  if (!row || row->owner != access.owner()) return facts;
  for (store::GrantRow& grant : row->grants) shared_.revocations.apply(grant);
  const Instant now = shared_.clock.now();
  facts.kind = row->kind;
  facts.subject = row->owner_name;
  facts.client_id = row->client_id;
  facts.expires_at = row->expires_at;
  facts.inactive_reason = inactive_reason_of(*row, now);
  if (!facts.inactive_reason.empty()) return facts;
  for (const store::GrantRow& grant : row->grants) {
    if (!stands(grant, now)) continue;
    auto held = shared_.grants.get(grant);
    if (!held && held.error().code == Code::kGrantInvalid) {
      facts.inactive_reason = "grant_invalid";
      facts.grants.clear();
      return facts;
    }
    if (!held) return std::unexpected(std::move(held.error()));
    LADDER_TRY(auto noted, shared_.store.find_grant(access.owner(), grant.grant_id));
    LADDER_TRY(auto summaries, grants_.summarize(access.owner(), {noted ? *std::move(noted) : grant}));
    facts.grants.push_back((*held)->grant);
    facts.origins.push_back(std::move(summaries.front().origins));
  }
  facts.active = true;
  return facts;
}

Result<std::string> OwnerTokens::create(const Access& access, const TokenExpiry& end) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  const Instant now = shared_.clock.now();
  if (end.at && *end.at <= now) {
    return fail(Code::kInvalidRequest,
                format("the token would expire at {}, which has passed; choose a later time", format_time(*end.at)), "expires");
  }
  std::optional<Instant> ends = end.at ? end.at : now + kDefaultTokenLife;
  if (end.never) ends.reset();
  std::string text = new_token(store::TokenKind::kOwner);
  LADDER_CHECK(shared_.store.add_token(access.owner(), {token_hash(text), store::TokenKind::kOwner, "", now, ends}));
  return text;
}

Result<std::vector<OwnerToken>> OwnerTokens::list(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto rows, shared_.store.owner_tokens(access.owner()));
  const Instant now = shared_.clock.now();
  std::vector<OwnerToken> all;
  all.reserve(rows.size());
  for (const store::TokenRow& row : rows) all.push_back(described(row, now));
  return all;
}

Result<OwnerToken> OwnerTokens::revoke(const Access& access, std::string_view id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto rows, shared_.store.owner_tokens(access.owner()));
  const auto found = std::ranges::find_if(rows, [&](const store::TokenRow& row) { return token_id(row.hash) == id; });
  if (found == rows.end()) {
    return fail(Code::kNotFound, format("there is no owner token {}; `ladder token list` shows them", model::in_quotes(id)),
                "token_id");
  }
  auto revoked = shared_.store.revoke_owner_token(access.owner(), found->no, shared_.clock.now());
  shared_.accesses.forget_all();
  if (!revoked) return std::unexpected(std::move(revoked).error());
  return described(*revoked, shared_.clock.now());
}

}  // namespace ladder::server

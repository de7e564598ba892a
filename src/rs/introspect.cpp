// What a token is good for, told to its owner (RFC 7662). A token of somebody else is unknown like one that was never made.
#include "rs/resource_server.h"
#include "rs/token.h"

#include <algorithm>

namespace ladder::rs {
namespace {

bool is_past(const std::optional<Instant>& expires_at, Instant now) { return expires_at && now >= *expires_at; }

bool stands(const store::GrantRow& grant, Instant now) { return !grant.revoked_at && !is_past(grant.expires_at, now); }

// The same order in which a request with that token would be refused; of its grants the newest counts, as there.
std::string reason_against(const store::TokenRow& token, Instant now) {
  if (token.revoked_at) return "token_revoked";
  if (token.kind == store::TokenKind::kClient) {
    if (token.grants.empty()) return "token_revoked";
    const bool any = std::ranges::any_of(token.grants, [&](const store::GrantRow& grant) { return stands(grant, now); });
    if (!any) return token.grants.back().revoked_at ? "grant_revoked" : "grant_expired";
  }
  return is_past(token.expires_at, now) ? "token_expired" : "";
}

}  // namespace

Result<TokenFacts> ResourceServer::introspect(const Access& access, std::string_view token) {
  LADDER_CHECK(require_owner(access));
  TokenFacts facts;
  if (!has_token_shape(token)) return facts;
  LADDER_TRY(auto row, store_.find_token(token_hash(token)));
  if (!row || row->owner != access.owner()) return facts;
  for (store::GrantRow& grant : row->grants) revocations_.apply(grant);
  const Instant now = clock_.now();
  facts.kind = row->kind;
  facts.subject = row->owner_name;
  facts.client_id = row->client_id;
  facts.expires_at = row->expires_at;
  facts.inactive_reason = reason_against(*row, now);
  if (!facts.inactive_reason.empty()) return facts;
  for (const store::GrantRow& grant : row->grants) {
    if (!stands(grant, now)) continue;
    auto held = parsed_grants_.get(grant);
    if (!held && held.error().code == Code::kGrantInvalid) {
      facts.inactive_reason = "grant_invalid";
      facts.grants.clear();
      return facts;
    }
    if (!held) return std::unexpected(std::move(held.error()));
    LADDER_TRY(auto noted, store_.find_grant(access.owner(), grant.grant_id));
    LADDER_TRY(auto summaries, summarize(access.owner(), {noted ? *std::move(noted) : grant}));
    facts.grants.push_back((*held)->grant);
    facts.origins.push_back(std::move(summaries.front().origins));
  }
  facts.active = true;
  return facts;
}

}  // namespace ladder::rs

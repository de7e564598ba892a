// Creates tokens and checks their shape.
#include "server/access/token.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/random.h"
#include "model/quote.h"
#include "server/resource_server.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kIdBytes = 8;
constexpr std::string_view kOwnerPrefix = "ldr_o_";
constexpr std::string_view kClientPrefix = "ldr_c_";

}  // namespace

std::string new_token(store::TokenKind kind) {
  const std::string_view prefix = kind == store::TokenKind::kOwner ? kOwnerPrefix : kClientPrefix;
  return std::string(prefix) + base64url::encode(crypto::random_bytes(kSecretBytes));
}

bool has_token_shape(std::string_view text) {
  if (text.size() > limits::kMaxTokenBytes) return false;
  if (!text.starts_with(kOwnerPrefix) && !text.starts_with(kClientPrefix)) return false;
  const auto secret = base64url::decode(text.substr(kOwnerPrefix.size()));
  return secret && secret->size() == kSecretBytes;
}

store::Digest token_hash(std::string_view token) { return crypto::sha256(token); }

std::string token_id(const store::Digest& hash) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string id = "tok_";
  for (std::size_t i = 0; i < kIdBytes; ++i) {
    id += kHex[hash[i] >> 4U];
    id += kHex[hash[i] & 0x0FU];
  }
  return id;
}

// Token introspection for an owner (RFC 7662). Another owner's token is reported as unknown.

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

}  // namespace

Result<TokenInfo> ResourceServer::introspect(const Access& access, std::string_view token) {
  LADDER_CHECK(require_owner(access));
  TokenInfo facts;
  if (!has_token_shape(token)) return facts;
  LADDER_TRY(auto row, store_.find_token(token_hash(token)));
  if (!row || row->owner != access.owner()) return facts;
  for (store::GrantRow& grant : row->grants) revocations_.apply(grant);
  const Instant now = clock_.now();
  facts.kind = row->kind;
  facts.subject = row->owner_name;
  facts.client_id = row->client_id;
  facts.expires_at = row->expires_at;
  facts.inactive_reason = inactive_reason_of(*row, now);
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

// Creates, lists and revokes the owner's own tokens.

namespace {

constexpr Instant kDefaultTokenLife = 365 * kDay;

OwnerToken described(const store::TokenRow& row, Instant now) {
  const bool expired = row.expires_at && now >= *row.expires_at;
  return {token_id(row.hash), row.created_at, row.expires_at, row.revoked_at,
          row.revoked_at ? "revoked"
          : expired      ? "expired"
                         : "active"};
}

}  // namespace

Result<std::string> ResourceServer::create_owner_token(const Access& access, const TokenExpiry& end) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  if (end.at && *end.at <= now) {
    return fail(Code::kInvalidRequest,
                format("the token would expire at {}, which has passed; choose a later time", format_time(*end.at)), "expires");
  }
  std::optional<Instant> ends = end.at ? end.at : now + kDefaultTokenLife;
  if (end.never) ends.reset();
  std::string text = new_token(store::TokenKind::kOwner);
  LADDER_CHECK(store_.add_token(access.owner(), {token_hash(text), store::TokenKind::kOwner, "", now, ends}));
  return text;
}

Result<std::vector<OwnerToken>> ResourceServer::owner_tokens(const Access& access) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto rows, store_.owner_tokens(access.owner()));
  const Instant now = clock_.now();
  std::vector<OwnerToken> all;
  all.reserve(rows.size());
  for (const store::TokenRow& row : rows) all.push_back(described(row, now));
  return all;
}

Result<OwnerToken> ResourceServer::revoke_owner_token(const Access& access, std::string_view id) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto rows, store_.owner_tokens(access.owner()));
  const auto found = std::ranges::find_if(rows, [&](const store::TokenRow& row) { return token_id(row.hash) == id; });
  if (found == rows.end()) {
    return fail(Code::kNotFound, format("there is no owner token {}; `ladder token list` shows them", model::in_quotes(id)),
                "token_id");
  }
  auto revoked = store_.revoke_owner_token(access.owner(), found->no, clock_.now());
  accesses_.forget_all();
  if (!revoked) return std::unexpected(std::move(revoked).error());
  return described(*revoked, clock_.now());
}

}  // namespace ladder::server

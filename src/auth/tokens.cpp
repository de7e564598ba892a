#include "auth/tokens.h"

#include "auth/body.h"
#include "auth/details.h"
#include "auth/refresh_family.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "crypto/random.h"
#include "json/writer.h"
#include "server/access/token.h"

#include <algorithm>

namespace ladder::auth {
namespace {

constexpr std::size_t kFamilyIdBytes = 12;
constexpr std::string_view kRefreshPrefix = "ldr_r_";

std::unexpected<OAuthError> invalid_grant(std::string why) { return refuse("invalid_grant", std::move(why)); }

bool fits_challenge(std::string_view verifier, std::string_view challenge) {
  const std::string made = base64url::encode(crypto::view(crypto::sha256(verifier)));
  return crypto::equal_in_constant_time(made, challenge);
}

store::AuthItem ended_mark(std::string_view family, Instant now) {
  return {"ended", std::string(family), 0, "{}", now, now + kFamilyLife, 0};
}

// A parsed refresh token: "ldr_r_FAMILY.GENERATION.MAC".
struct RefreshToken {
  std::string family;
  std::int64_t generation = 0;
};

constexpr std::size_t kMaxGenerationDigits = 11;

std::optional<RefreshToken> parse_refresh(std::string_view text) {
  if (!text.starts_with(kRefreshPrefix)) return std::nullopt;
  text.remove_prefix(kRefreshPrefix.size());
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  RefreshToken token{std::string(text.substr(0, dot)), 0};
  text.remove_prefix(dot + 1);
  const auto end = text.find('.');
  if (end > kMaxGenerationDigits) return std::nullopt;  // also without a dot
  const auto generation = parse_number<decltype(token.generation)>(text.substr(0, end));
  if (!generation) return std::nullopt;
  token.generation = *generation;
  return token;
}

std::optional<Instant> end_of(const std::vector<store::GrantRow>& grants) {
  std::optional<Instant> latest;
  for (const store::GrantRow& row : grants) {
    if (row.revoked_at) continue;
    if (!row.expires_at) return std::nullopt;
    latest = latest ? std::max(*latest, *row.expires_at) : *row.expires_at;
  }
  return latest ? latest : std::optional<Instant>(0);  // no active grant: already expired
}

// Describes the granted access, built from the grants themselves.
Result<std::string> granted_details(const std::vector<store::GrantRow>& grants) {
  json::Writer out;
  out.begin_array();
  for (const store::GrantRow& row : grants) {
    LADDER_TRY(const auto grant, grant::parse_grant(row.body));
    const Body body(row.body);
    out.begin_object().member("type", kDetailsType).key("source").begin_object();
    out.member("kind", grant.source_kind).member("id", grant.source_id).end_object();
    out.member("access_mode", grant.single_use ? "single_use" : "continuous").member("purpose_code", grant.purpose_code);
    out.key("streams").raw(body.raw("streams").empty() ? "[]" : body.raw("streams")).end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace

std::string Tokens::refresh_text(const std::string& family, std::int64_t generation) const {
  return format("{}{}.{}.{}", kRefreshPrefix, family, generation,
                base64url::encode(state_.sealer.keyed_hash("refresh", format("{}.{}", family, generation))));
}

// Reads the grants once, since each is a round trip on PostgreSQL.
Result<std::vector<store::GrantRow>> Tokens::grants_of(store::OwnerNo owner, const std::vector<std::string>& grant_ids) {
  std::vector<store::GrantRow> rows;
  for (const std::string& id : grant_ids) {
    LADDER_TRY(auto row, state_.store.find_grant(owner, id));
    if (row) rows.push_back(*std::move(row));
  }
  return rows;
}

OAuthResult<TokenResponse> Tokens::issue(store::AuthChange change, store::OwnerNo owner, const std::string& client_id,
                                         const std::vector<std::string>& grant_ids, const std::string& scope, bool offline) {
  const Instant now = state_.clock.now();
  LADDER_OAUTH_TRY(const auto granted, grants_of(owner, grant_ids));
  std::optional<Instant> ends = end_of(granted);
  if (ends && *ends <= now) return invalid_grant("what was granted has ended");
  TokenResponse answer;
  std::vector<std::string> renewable;  // single-use grants belong to the first token only
  for (const store::GrantRow& row : granted) {
    if (!row.single_use) renewable.push_back(row.grant_id);
    answer.grants.push_back(row.body);
  }
  offline = offline && !renewable.empty();
  answer.access_token = server::new_token(store::TokenKind::kClient);
  answer.scope = scope;
  answer.grant_ids = grant_ids;
  const store::Digest hash = server::token_hash(answer.access_token);
  std::string mark = format(",\"token\":\"{}\"", base64url::encode(crypto::view(hash)));
  if (offline) {
    RefreshFamily family;
    family.id = crypto::random_hex(kFamilyIdBytes);
    family.owner = owner;
    family.client_id = client_id;
    family.scope = scope;
    family.grant_ids = std::move(renewable);
    family.generation = 1;
    family.rotated_at = family.created_at = now;
    change.puts.push_back(family.item(now));
    answer.refresh_token = refresh_text(family.id, 1);
    mark += format(",\"family\":\"{}\"", family.id);
    ends = ends ? std::min(*ends, now + kFamilyAccessLife) : now + kFamilyAccessLife;
  }
  if (std::string& text = change.puts.front().body; change.puts.front().kind != "request") text.insert(text.size() - 1, mark);
  if (ends) answer.expires_in = (*ends - now) / kSecond;
  change.owner = owner;
  change.tokens.push_back({hash, client_id, now, ends, grant_ids});
  LADDER_OAUTH_TRY(answer.details, granted_details(granted));
  LADDER_OAUTH_TRY(const bool done, state_.items.apply(change));
  if (!done) return invalid_grant("it was used already");
  return answer;
}

OAuthResult<TokenResponse> Tokens::redeem_code(const TokenRequest& asked, const ServerUrl& server_url) {
  if (asked.code.empty()) return refuse("invalid_request", "code is missing");
  if (asked.client_id.empty()) return refuse("invalid_client", "client_id is missing", 401);
  LADDER_OAUTH_TRY(const auto item, state_.items.find("code", hash_key(asked.code)));
  if (!item) return invalid_grant("the code is unknown or has expired");
  const Body body(item->body);
  const Instant now = state_.clock.now();
  if (body.text("client_id") != asked.client_id) return invalid_grant("the code was issued to another client");
  if (body.has("token")) {
    // Used twice, so the code may have leaked: revoke what the first use returned (RFC 6749, 4.1.2).
    store::AuthChange change;
    change.owner = item->owner;
    change.now = now;
    if (const auto bytes = base64url::decode(body.text("token")); bytes && bytes->size() == store::Digest().size()) {
      change.revoked_tokens.push_back(crypto::to_digest(*bytes));
    }
    LADDER_OAUTH_TRY([[maybe_unused]] const bool done, state_.items.apply(change));
    state_.server.accesses().forget_all();
    if (const std::string family = body.text("family"); !family.empty()) {
      if (const Status ended = end_family(family); !ended) return std::unexpected(from_error(ended.error()));
    }
    return invalid_grant("the code was already used");
  }
  if (now >= body.number("until")) return invalid_grant("the code has expired");
  if (!asked.redirect_uri.empty() && asked.redirect_uri != body.text("redirect_uri")) {
    return invalid_grant("redirect_uri is not the one the code was sent to");
  }
  if (!is_pkce_text(asked.verifier)) return invalid_grant("code_verifier is missing or malformed");
  if (!fits_challenge(asked.verifier, body.text("challenge"))) return invalid_grant("code_verifier does not match");
  if (!asked.resource.empty() && !is_own_resource(server_url, asked.resource)) {
    return refuse("invalid_target", "resource names another server");
  }
  // The transaction that issues the token also marks the code as used and stores what it returned.
  store::AuthChange change;
  change.puts.push_back(*item);
  const std::string scope = body.text("scope");
  return issue(std::move(change), item->owner, asked.client_id, body.texts("grants"), scope,
               scope.find(kOfflineScope) != std::string::npos);
}

OAuthResult<TokenResponse> Tokens::refresh(const TokenRequest& asked) {
  if (asked.refresh_token.empty()) return refuse("invalid_request", "refresh_token is missing");
  const auto unknown = [] { return invalid_grant("the refresh token is unknown or has expired"); };
  const auto token = parse_refresh(asked.refresh_token);
  if (!token) return unknown();
  LADDER_OAUTH_TRY(const auto item, state_.items.find("family", token->family));
  if (!item) return unknown();
  RefreshFamily family = RefreshFamily::of(*item);
  const std::int64_t generation = token->generation;
  if (!crypto::equal_in_constant_time(refresh_text(family.id, generation), asked.refresh_token)) return unknown();
  const Instant now = state_.clock.now();
  if (family.ended || now >= item->expires_at.value_or(0)) return unknown();
  if (!asked.client_id.empty() && asked.client_id != family.client_id) {
    return invalid_grant("the refresh token was issued to another client");
  }
  const bool again = generation == family.generation - 1 && now - family.rotated_at <= kRefreshGrace;
  if (generation != family.generation && !again) {
    LADDER_OAUTH_TRY([[maybe_unused]] const auto ended, [&]() -> Result<bool> {
      LADDER_CHECK(end_family(family.id));
      return true;
    }());
    return invalid_grant("the refresh token was already used, so its token family was revoked; authorize again");
  }
  LADDER_OAUTH_TRY(const auto granted, grants_of(family.owner, family.grant_ids));
  std::optional<Instant> ends = end_of(granted);
  if (ends && *ends <= now) return invalid_grant("what was granted has ended");
  ends = ends ? std::min(*ends, now + kFamilyAccessLife) : now + kFamilyAccessLife;
  if (!again) {
    ++family.generation;
    family.rotated_at = now;
  }
  TokenResponse answer;
  answer.access_token = server::new_token(store::TokenKind::kClient);
  answer.refresh_token = refresh_text(family.id, family.generation);
  answer.scope = family.scope;
  answer.grant_ids = family.grant_ids;
  answer.expires_in = (*ends - now) / kSecond;
  const store::Digest hash = server::token_hash(answer.access_token);
  store::AuthChange change;
  change.puts.push_back(family.item(now));
  // Adding the "ended" mark fails if the family is being ended; otherwise the mark is removed in the same
  // transaction.
  change.puts.push_back(ended_mark(family.id, now));
  change.removes.emplace_back("ended", family.id);
  change.owner = family.owner;
  change.tokens.push_back({hash, family.client_id, now, ends, family.grant_ids});
  LADDER_OAUTH_TRY(answer.details, granted_details(granted));
  LADDER_OAUTH_TRY(const bool done, state_.items.apply(change));
  if (!done) {
    LADDER_OAUTH_TRY(const auto ended, state_.items.find("ended", family.id));
    if (ended) return unknown();
    // A concurrent request with the same token won the race; a retry returns its result.
    return std::unexpected(OAuthError{503, "temporarily_unavailable", "the same refresh is under way; try again", 1});
  }
  return answer;
}

OAuthResult<TokenResponse> Tokens::poll_device(const TokenRequest& asked) {
  if (asked.device_code.empty()) return refuse("invalid_request", "device_code is missing");
  LADDER_OAUTH_TRY(auto item, state_.items.find("device", hash_key(asked.device_code)));
  const Instant now = state_.clock.now();
  if (!item) return invalid_grant("the device code is unknown");
  if (now >= item->expires_at.value_or(0)) return refuse("expired_token", "the request has expired; start again");
  const Body body(item->body);
  if (asked.request_id.empty() ? body.text("client_id") != asked.client_id : body.text("request") != asked.request_id) {
    return invalid_grant("the device code was issued to another client");
  }
  const Instant polled = body.number("polled");
  auto request = requests_.find(body.text("request"));
  if (!request && request.error().code == Code::kNotFound) return refuse("expired_token", "the request has expired; start again");
  if (!request) return std::unexpected(from_error(request.error()));
  if (request->status == "denied") return refuse("access_denied", "the owner denied the request");
  if (request->status == "done") return invalid_grant("the device code was already used");
  if (request->status == "waiting") {
    json::Writer noted;
    noted.begin_object().member("request", request->id).member("client_id", request->client_id).member("polled", now);
    noted.end_object();
    item->body = noted.take();
    store::AuthChange change;
    change.puts.push_back(*item);
    LADDER_OAUTH_TRY([[maybe_unused]] const bool done, state_.items.apply(change));
    if (asked.request_id.empty() && now - polled < (kDevicePollSeconds - 1) * kSecond)
      return refuse("slow_down", "poll every 5 seconds");
    return refuse("authorization_pending", "the owner has not answered yet");
  }
  return issue_token(*request);
}

OAuthResult<TokenResponse> Tokens::issue_token(const AuthorizationRequest& request) {
  if (request.status != "approved" || request.kind == RequestKind::kCode)
    return invalid_grant("the request was already answered");
  LADDER_OAUTH_TRY(auto kept, state_.items.find("request", request.id));
  if (!kept) return refuse("expired_token", "the request has expired; start again");
  const std::string from = "\"status\":\"approved\"";
  const auto at = kept->body.find(from);
  if (at == std::string::npos) return invalid_grant("the request was already answered");
  kept->body.replace(at, from.size(), "\"status\":\"done\"");
  store::AuthChange change;
  change.puts.push_back(*std::move(kept));
  return issue(std::move(change), request.owner, request.client_id, request.grant_ids, request.scope, request.offline());
}

OAuthResult<TokenResponse> Tokens::redeem_exchange(std::string_view code) {
  LADDER_OAUTH_TRY(const auto item, state_.items.find("exchange", hash_key(code)));
  if (!item) return refuse("not_found", "the exchange code is unknown", 404);
  const Body body(item->body);
  if (body.has("token") || state_.clock.now() >= body.number("until")) {
    return refuse("invalid_grant", "the exchange code was already used or has expired", 410);
  }
  store::AuthChange change;
  change.puts.push_back(*item);
  auto answer = issue(std::move(change), item->owner, body.text("client_id"), body.texts("grants"), body.text("scope"), false);
  if (!answer && answer.error().error == "invalid_grant") return refuse("invalid_grant", answer.error().description, 410);
  return answer;
}

Status Tokens::end_family(std::string_view id) {
  // After this mark no refresh commits, so a client that keeps refreshing cannot delay the end.
  store::AuthChange mark;
  mark.puts.push_back(ended_mark(id, state_.clock.now()));
  LADDER_CHECK(state_.items.apply(mark));
  for (int attempt = 0; attempt < 5; ++attempt) {
    LADDER_TRY(const auto item, state_.items.find("family", id));
    if (!item) return {};
    RefreshFamily family = RefreshFamily::of(*item);
    const Instant now = state_.clock.now();
    family.ended = true;
    store::AuthChange change;
    change.puts.push_back(family.item(now));
    change.owner = family.owner;
    change.revoked_bindings = family.grant_ids;
    change.now = now;
    LADDER_TRY(const bool done, state_.items.apply(change));
    if (!done) continue;  // the owner changed its grants concurrently
    state_.server.accesses().forget_all();
    return {};
  }
  return fail(Code::kStoreUnavailable, "the refresh family changes too fast to be ended; try again");
}

OAuthResult<bool> Tokens::revoke(std::string_view token, std::string_view client_id) {
  if (token.starts_with(kRefreshPrefix)) {
    const auto parsed = parse_refresh(token);
    if (!parsed) return true;
    LADDER_OAUTH_TRY(const auto item, state_.items.find("family", parsed->family));
    if (!item) return true;
    const RefreshFamily family = RefreshFamily::of(*item);
    // Any token of the family ends it, including tokens rotated long ago.
    const bool genuine = crypto::equal_in_constant_time(refresh_text(family.id, parsed->generation), token);
    if (!genuine || (!client_id.empty() && client_id != family.client_id)) return true;
    if (Status ended = end_family(family.id); !ended) return std::unexpected(from_error(ended.error()));
    return true;
  }
  if (!server::has_token_shape(token)) return true;
  LADDER_OAUTH_TRY(const auto row, state_.store.find_token(server::token_hash(token)));
  if (!row || row->kind != store::TokenKind::kClient || (!client_id.empty() && client_id != row->client_id)) return true;
  store::AuthChange change;
  change.owner = row->owner;
  change.revoked_tokens.push_back(server::token_hash(token));
  change.now = state_.clock.now();
  LADDER_OAUTH_TRY([[maybe_unused]] const bool done, state_.items.apply(change));
  state_.server.accesses().forget_all();
  return true;
}

}  // namespace ladder::auth

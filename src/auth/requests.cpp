// Authorization requests: validation, storage, opening and decisions.
#include "auth/authorization.h"
#include "auth/body.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::auth {
namespace {

constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMaxStateBytes = 4096;
constexpr std::size_t kMaxScopeBytes = 1024;
constexpr std::int64_t kMaxRequests = 10'000;  // any client can create requests; each expires after 30 minutes
// Limit per address, or per signed-in owner. Requests wait for at most 30 minutes, so one address can hold at most
// 1,200 of them.
constexpr AttemptLimit kRequests{300, 2 * kSecond};
// Limit of wrong codes per owner. A code has 28^8 values, of which at most 10,000 are in use.
constexpr AttemptLimit kCodeGuesses{10, 60 * kSecond};
constexpr std::size_t kUserCodeChars = 8;
constexpr std::string_view kUserCodeLetters = "BCDFGHJKLMNPQRSTVWXZ23456789";  // no vowels, so that codes contain no words

std::string new_user_code() {
  std::string code;
  while (code.size() < kUserCodeChars) {
    for (const char c : crypto::random_bytes(16)) {
      const auto byte = static_cast<unsigned char>(c);
      constexpr auto kFair = static_cast<unsigned char>(256 / 28 * 28);
      if (byte < kFair && code.size() < kUserCodeChars) code += kUserCodeLetters[byte % kUserCodeLetters.size()];
    }
  }
  return code.substr(0, 4) + "-" + code.substr(4);
}

std::string plain_code(std::string_view typed) {
  std::string code;
  for (char c : typed) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) code += c;
  }
  return code;
}

std::string_view kind_name(RequestKind kind) {
  return kind == RequestKind::kCode ? "code" : kind == RequestKind::kDevice ? "device" : "review";
}

std::string request_body(const AuthorizationRequest& request) {
  json::Writer out;
  out.begin_object().member("user_code", request.user_code).member("kind", kind_name(request.kind));
  out.member("client_id", request.client_id).member("client_name", request.client_name);
  out.member("redirect_uri", request.redirect_uri).member("state", request.state).member("challenge", request.challenge);
  out.member("resource", request.resource).member("scope", request.scope).member("details", request.details);
  out.member("prompt", request.prompt).member("status", request.status).member("exchange", request.exchange);
  out.key("grants").begin_array();
  for (const std::string& id : request.grant_ids) out.string(id);
  out.end_array().optional_member("review", request.review).optional_member("choices", request.choices).end_object();
  return out.take();
}

AuthorizationRequest request_of(const store::AuthItem& item) {
  const Body body(item.body);
  AuthorizationRequest request;
  request.id = item.key;
  request.user_code = body.text("user_code");
  const std::string kind = body.text("kind");
  request.kind = kind == "device" ? RequestKind::kDevice : kind == "review" ? RequestKind::kReview : RequestKind::kCode;
  request.client_id = body.text("client_id");
  request.client_name = body.text("client_name");
  request.redirect_uri = body.text("redirect_uri");
  request.state = body.text("state");
  request.challenge = body.text("challenge");
  request.resource = body.text("resource");
  request.scope = body.text("scope");
  request.details = body.text("details");
  request.prompt = body.text("prompt");
  request.status = body.text("status");
  request.exchange = body.text("exchange");
  request.grant_ids = body.texts("grants");
  request.review = body.text("review");
  request.choices = body.text("choices");
  request.owner = item.owner;
  request.created_at = item.created_at;
  request.expires_at = item.expires_at.value_or(0);
  request.version = item.version;
  return request;
}

// Returns why a client can't make a request: it is unknown, or its document was rejected.
OAuthError unknown_client(const Error& error) {
  if (error.code == Code::kNotFound) return {401, "invalid_client", error.message, -1};
  if (error.code == Code::kRateLimited) return {503, "temporarily_unavailable", error.message, 60};
  if (error.code != Code::kInvalidRequest) return from_error(error);
  return {401, "invalid_client", "the document that describes the client cannot be used: " + error.message, -1};
}

std::unexpected<Error> no_request() {
  return fail(Code::kNotFound, "This request was already answered or has expired. Start again from the app.");
}

}  // namespace

bool AuthorizationRequest::offline() const { return scope.find(kOfflineScope) != std::string::npos; }

std::string requester_name(const AuthorizationRequest& request) {
  if (request.kind == RequestKind::kCode) return shown_origin(request.redirect_uri);
  return request.kind == RequestKind::kDevice ? "a device with the code " + request.user_code : "an app that is waiting";
}

Trust trust_of(const AuthorizationRequest& request) {
  return request.kind == RequestKind::kCode ? trust_of(std::string_view(request.redirect_uri)) : Trust::kCodeHolder;
}

bool is_own_resource(const ServerUrl& server_url, std::string_view resource) {
  return resource == server_url.mcp() || resource == server_url.base || resource == server_url.base + "/" ||
         resource == server_url.mcp() + "/" || resource == server_url.base + "/v1";
}

bool is_pkce_text(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                  c == '_' || c == '~';
         });
}

std::string granted_scope(std::string_view asked) {
  std::string scope(kReadScope);
  while (!asked.empty()) {
    const auto space = std::min(asked.find(' '), asked.size());
    if (asked.substr(0, space) == kOfflineScope && scope == kReadScope) scope += " " + std::string(kOfflineScope);
    asked.remove_prefix(std::min(space + 1, asked.size()));
  }
  return scope;
}

AuthorizationServer::AuthorizationServer(server::ResourceServer& server, store::Store& store,
                                         std::unique_ptr<DocumentFetcher> fetcher, const Clock& clock)
    : server_(server),
      store_(store),
      items_(store.auth()),
      fetcher_(std::move(fetcher)),
      clock_(clock),
      sealer_([&] {
        std::vector<crypto::SealKey> keys;
        for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
        return keys;
      }()),
      owners_(store, sealer_, clock),
      clients_(store, *fetcher_, clock) {}

std::expected<AuthorizationRequest, AuthorizeError> AuthorizationServer::begin(const AuthorizeParameters& asked,
                                                                               const ServerUrl& server_url) {
  const auto page = [](std::string error, std::string why, int status = 400) {
    AuthorizeError fault;
    fault.error = std::move(error);
    fault.description = std::move(why);
    fault.status = status;
    return std::unexpected(std::move(fault));
  };
  if (asked.repeated == "client_id" || asked.repeated == "redirect_uri") {
    return page("invalid_request", format("{} was sent twice", asked.repeated));
  }
  if (asked.client_id.empty()) return page("invalid_request", "client_id is missing");
  const auto client = clients_.find(asked.client_id);
  if (!client) {
    const OAuthError refused = unknown_client(client.error());
    return page(refused.error, refused.description, refused.status == 401 ? 400 : refused.status);
  }
  std::string redirect = asked.redirect_uri;
  if (redirect.empty() && client->redirect_uris.size() == 1) redirect = client->redirect_uris.front();
  if (redirect.empty()) return page("invalid_request", "redirect_uri is missing");
  if (!may_redirect(*client, redirect)) return page("invalid_request", "redirect_uri is not registered");

  const auto back = [&](std::string error, std::string why) {
    AuthorizeError fault{std::move(error), std::move(why), true, redirect, asked.state, 303};
    if (fault.state.size() > kMaxStateBytes) fault.state.clear();
    return std::unexpected(std::move(fault));
  };
  if (!asked.repeated.empty()) return back("invalid_request", format("{} was sent twice", asked.repeated));
  if (asked.state.size() > kMaxStateBytes) return back("invalid_request", "state is longer than 4,096 bytes");
  if (asked.response_type.empty()) return back("invalid_request", "response_type is missing");
  if (asked.response_type != "code") return back("unsupported_response_type", "response_type must be code");
  if (asked.challenge.empty()) return back("invalid_request", "code_challenge is missing: PKCE is required");
  if (asked.challenge_method != "S256") return back("invalid_request", "code_challenge_method must be S256");
  if (!is_pkce_text(asked.challenge)) return back("invalid_request", "code_challenge is not 43 to 128 unreserved characters");
  if (!asked.resource.empty() && !is_own_resource(server_url, asked.resource)) {
    return back("invalid_target", "resource names another server");
  }
  if (asked.scope.size() > kMaxScopeBytes) return back("invalid_scope", "scope is longer than 1,024 bytes");
  if (const auto details = read_details(asked.details); !details) {
    return back(details.error().error, details.error().description);
  }
  AuthorizationRequest request;
  request.client_id = client->client_id;
  request.client_name = client->name;
  request.redirect_uri = redirect;
  request.state = asked.state;
  request.challenge = asked.challenge;
  request.resource = asked.resource.empty() ? server_url.mcp() : asked.resource;
  request.scope = granted_scope(asked.scope);
  request.details = asked.details;
  request.prompt = asked.prompt;
  const auto unwanted = is_blocked_by_all(request);
  if (!unwanted) return back("temporarily_unavailable", unwanted.error().message);
  if (*unwanted) return back("access_denied", "the owner has blocked this client");
  auto kept = keep_new(std::move(request), asked.address);
  // The authorize endpoint allows fewer error names than the others.
  if (!kept)
    return back(kept.error().status >= 500 && kept.error().error == "server_error" ? "server_error" : "temporarily_unavailable",
                kept.error().description);
  return *std::move(kept);
}

OAuthResult<AuthorizationRequest> AuthorizationServer::begin_pushed(const AuthorizeParameters& asked,
                                                                    const ServerUrl& server_url) {
  auto begun = begin(asked, server_url);
  if (begun) return *std::move(begun);
  const AuthorizeError& fault = begun.error();
  return std::unexpected(OAuthError{fault.status == 303 ? 400 : fault.status, fault.error, fault.description, -1});
}

OAuthResult<AuthorizationRequest> AuthorizationServer::without_redirect(const AuthorizeParameters& asked,
                                                                        const ServerUrl& server_url, RequestKind kind) {
  if (!asked.repeated.empty()) return refuse("invalid_request", format("{} was sent twice", asked.repeated));
  const auto client = clients_.find(asked.client_id);
  if (!client) return std::unexpected(unknown_client(client.error()));
  if (!asked.resource.empty() && !is_own_resource(server_url, asked.resource)) {
    return refuse("invalid_target", "resource names another server");
  }
  if (asked.scope.size() > kMaxScopeBytes) return refuse("invalid_scope", "scope is longer than 1,024 bytes");
  if (const auto details = read_details(asked.details); !details) return std::unexpected(details.error());
  AuthorizationRequest request;
  request.kind = kind;
  request.client_id = client->client_id;
  request.client_name = client->name;
  request.resource = asked.resource.empty() ? server_url.mcp() : asked.resource;
  request.scope = granted_scope(asked.scope);
  request.details = asked.details;
  LADDER_OAUTH_TRY(const bool unwanted, is_blocked_by_all(request));
  if (unwanted) return refuse("access_denied", "the owner has blocked this client", 403);
  return request;
}

OAuthResult<DeviceResponse> AuthorizationServer::begin_device(const AuthorizeParameters& asked, const ServerUrl& server_url) {
  auto request = without_redirect(asked, server_url, RequestKind::kDevice);
  if (!request) return std::unexpected(request.error());
  const auto kept = keep_new(*std::move(request), asked.address);
  if (!kept) return std::unexpected(kept.error());
  return add_poller(kept->id, kept->client_id);
}

OAuthResult<AuthorizationRequest> AuthorizationServer::begin_review(const AuthorizeParameters& asked,
                                                                    const ServerUrl& server_url) {
  auto request = without_redirect(asked, server_url, RequestKind::kReview);
  if (!request) return request;
  return keep_new(*std::move(request), asked.address);
}

OAuthResult<DeviceResponse> AuthorizationServer::add_poller(std::string_view id, std::string_view client_id) {
  auto request = find(id);
  if (!request && request.error().code == Code::kNotFound)
    return refuse("expired_token", "the request is unknown or has expired");
  if (!request) return std::unexpected(from_error(request.error()));
  if (request->kind == RequestKind::kCode || request->status != "waiting" || !request->exchange.empty()) {
    return refuse("invalid_request", "the request cannot be polled for");
  }
  if (!client_id.empty() && client_id != request->client_id) {
    return refuse("invalid_client", "the request is of another client", 403);
  }
  const std::string code = base64url::encode(crypto::random_bytes(kSecretBytes));
  request->exchange = base64url::encode(hash_key(code));
  const Instant now = clock_.now();
  json::Writer body;
  body.begin_object().member("request", request->id).member("client_id", request->client_id).member("polled", std::int64_t{0});
  body.end_object();
  store::AuthChange change;
  change.puts.push_back({"device", hash_key(code), 0, body.take(), now, request->expires_at, 0});
  LADDER_OAUTH_TRY(const bool kept, keep(*request, std::move(change)));
  if (!kept) return refuse("invalid_request", "the request was opened at the same time; try again");
  return DeviceResponse{code, request->user_code, (request->expires_at - now) / kSecond, request->id};
}

OAuthResult<AuthorizationRequest> AuthorizationServer::keep_new(AuthorizationRequest request, std::string_view address) {
  LADDER_OAUTH_TRY(const std::int64_t waiting, items_.count("request"));
  if (waiting >= kMaxRequests)
    return std::unexpected(OAuthError{503, "temporarily_unavailable", "too many requests are pending", 60});
  // Prevents one caller from filling the request table.
  if (!address.empty()) {
    if (auto allowed = count_attempt(items_, clock_.now(), "ask:" + std::string(address), kRequests); !allowed) {
      return std::unexpected(allowed.error());
    }
  }
  request.id = base64url::encode(crypto::random_bytes(kIdBytes));
  request.user_code = new_user_code();
  request.status = "waiting";
  request.created_at = clock_.now();
  request.expires_at = request.created_at + kRequestLife;
  json::Writer body;
  body.begin_object().member("request", request.id).end_object();
  store::AuthChange change;
  change.puts.push_back({"user_code", plain_code(request.user_code), 0, body.take(), request.created_at, request.expires_at, 0});
  LADDER_OAUTH_TRY(const bool kept, keep(request, std::move(change)));
  if (!kept) return refuse("server_error", "try again", 500);
  request.version = 1;
  return request;
}

Result<bool> AuthorizationServer::keep(const AuthorizationRequest& request, store::AuthChange change) {
  change.puts.push_back(
      {"request", request.id, request.owner, request_body(request), request.created_at, request.expires_at, request.version});
  return items_.apply(change);
}

Result<AuthorizationRequest> AuthorizationServer::find(std::string_view id) {
  LADDER_TRY(const auto item, items_.find("request", id));
  if (!item || clock_.now() >= item->expires_at.value_or(0)) return no_request();
  return request_of(*item);
}

Result<AuthorizationRequest> AuthorizationServer::open(std::string_view id, const server::Access& owner) {
  LADDER_TRY(AuthorizationRequest request, find(id));
  if (request.owner == owner.owner()) return request;
  if (request.owner != 0) return no_request();
  request.owner = owner.owner();
  LADDER_TRY(const bool unwanted, is_blocked(owner.owner(), request));
  if (unwanted && request.status == "waiting") request.status = "denied";
  LADDER_TRY(const bool kept, keep(request, {}));
  if (!kept) {
    LADDER_TRY(request, find(id));  // another process opened it at the same time
    if (request.owner != owner.owner()) return no_request();
    return request;
  }
  ++request.version;
  return request;
}

Result<std::string> AuthorizationServer::client_of(std::string_view id) {
  LADDER_TRY(const AuthorizationRequest request, find(id));
  return request.client_id;
}

Result<std::string> AuthorizationServer::find_by_code(std::string_view user_code, std::string_view guesser) {
  const Instant now = clock_.now();
  const std::string key = "code:" + std::string(guesser);
  if (!guesser.empty()) {
    if (const auto allowed = count_attempt(items_, now, key, kCodeGuesses, Counting::kLook); !allowed) {
      if (allowed.error().status != 429) return fail(Code::kStoreUnavailable, allowed.error().description);
      Error error{Code::kRateLimited,
                  format("Too many codes were wrong. You can try again in {} seconds.", allowed.error().retry_after), "code"};
      error.details().retry_after_seconds = allowed.error().retry_after;
      return std::unexpected(std::move(error));
    }
  }
  LADDER_TRY(const auto item, items_.find("user_code", plain_code(user_code)));
  if (!item || now >= item->expires_at.value_or(0)) {
    if (!guesser.empty()) (void)count_attempt(items_, now, key, kCodeGuesses);
    return fail(Code::kNotFound, "No request has that code, or its 30 minutes have passed.", "code");
  }
  return Body(item->body).text("request");
}

Result<std::vector<AuthorizationRequest>> AuthorizationServer::opened(const server::Access& owner) {
  LADDER_TRY(const auto items, items_.list("request", owner.owner()));
  std::vector<AuthorizationRequest> all;
  for (const store::AuthItem& item : items) {
    if (clock_.now() < item.expires_at.value_or(0)) all.push_back(request_of(item));
  }
  return all;
}

Result<std::vector<server::GrantSummary>> AuthorizationServer::held(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(auto all, server_.grants().list(owner));
  std::erase_if(all, [&](const server::GrantSummary& one) { return one.status != "active" || one.grant.client_id != client_id; });
  return all;
}

Result<AuthorizationRequest> AuthorizationServer::approve(const AuthorizationRequest& asked, const server::Access& owner,
                                                          const Review& review, const Choices& choices,
                                                          const std::vector<server::GrantSummary>& held_now,
                                                          std::string_view by) {
  AuthorizationRequest request = asked;
  request.status = "approved";
  request.owner = owner.owner();
  for (const grant::Grant& grant : review.draft.grants) request.grant_ids.push_back(grant.grant_id);
  const Instant now = clock_.now();
  store::AuthChange change;
  change.owner = owner.owner();
  change.now = now;
  change.grants = review.draft.rows;
  for (const std::string& id : request.grant_ids) {
    json::Writer body;
    body.begin_object().member("digest", review.digest).key("review").raw(review.evidence);
    body.member("approved_at", format_time(now)).member("by", by).end_object();
    change.puts.push_back({"evidence", id, owner.owner(), body.take(), now, std::nullopt, 0});
  }
  // The budget is set before the grants are issued, so that no read precedes it.
  if (review.budget) LADDER_CHECK(server_.ledger().share_budget(owner, request.grant_ids, review.budget));
  const auto kept = keep(request, std::move(change));
  if (!kept || !*kept) {
    if (review.budget) (void)server_.ledger().share_budget(owner, request.grant_ids, std::nullopt);
    if (!kept) return std::unexpected(kept.error());
    return fail(Code::kConflict, "this request was already answered");
  }
  ++request.version;
  (void)clients_.note_use(request.client_id);
  if (choices.replaces) {
    for (const server::GrantSummary& old : held_now) LADDER_CHECK(server_.grants().revoke(owner, old.grant.grant_id));
  }
  return request;
}

Result<AuthorizationRequest> AuthorizationServer::keep_review(const AuthorizationRequest& asked, std::string review,
                                                              std::string choices) {
  AuthorizationRequest request = asked;
  request.review = std::move(review);
  request.choices = std::move(choices);
  LADDER_TRY(const bool kept, keep(request, {}));
  if (!kept) return fail(Code::kConflict, "this request has changed; review it again");
  ++request.version;
  return request;
}

Status AuthorizationServer::deny(const AuthorizationRequest& asked) {
  AuthorizationRequest request = asked;
  request.status = "denied";
  LADDER_TRY(const bool kept, keep(request, {}));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return {};
}

Status AuthorizationServer::undo(const AuthorizationRequest& request, const server::Access& owner) {
  for (const std::string& id : request.grant_ids) LADDER_CHECK(server_.grants().revoke(owner, id));
  return deny(request);
}

Result<std::string> AuthorizationServer::evidence(const server::Access& owner, std::string_view grant_id) {
  LADDER_TRY(const auto item, items_.find("evidence", grant_id));
  if (!item || item->owner != owner.owner()) return std::string();
  return item->body;
}

Result<std::string> AuthorizationServer::issue_code(const AuthorizationRequest& asked) {
  if (asked.status != "approved" || asked.kind != RequestKind::kCode) {
    return fail(Code::kConflict, "this request was already answered");
  }
  AuthorizationRequest request = asked;
  request.status = "done";
  std::string code = "ldr_a_" + base64url::encode(crypto::random_bytes(kSecretBytes));
  const Instant now = clock_.now();
  json::Writer body;
  body.begin_object().member("client_id", request.client_id).member("redirect_uri", request.redirect_uri);
  body.member("challenge", request.challenge).member("resource", request.resource).member("scope", request.scope);
  body.member("until", now + kCodeLife).key("grants").begin_array();
  for (const std::string& id : request.grant_ids) body.string(id);
  body.end_array().end_object();
  store::AuthChange change;
  // Stored longer than it is valid, so that a second use can be detected.
  change.puts.push_back({"code", hash_key(code), request.owner, body.take(), now, now + 10 * 60 * kSecond, 0});
  LADDER_TRY(const bool kept, keep(request, std::move(change)));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return code;
}

Result<std::string> AuthorizationServer::issue_exchange(const AuthorizationRequest& asked) {
  if (asked.status != "approved" || asked.kind != RequestKind::kReview || !asked.exchange.empty()) {
    return fail(Code::kConflict, "this request was already answered");
  }
  AuthorizationRequest request = asked;
  request.status = "done";
  std::string code = "cex_" + crypto::random_hex(kSecretBytes);
  const Instant now = clock_.now();
  json::Writer body;
  body.begin_object().member("client_id", request.client_id).member("scope", request.scope);
  body.member("until", now + kExchangeLife).key("grants").begin_array();
  for (const std::string& id : request.grant_ids) body.string(id);
  body.end_array().end_object();
  store::AuthChange change;
  // Stored for twice its lifetime, so that late or repeated use can be detected.
  change.puts.push_back({"exchange", hash_key(code), request.owner, body.take(), now, now + 2 * kExchangeLife, 0});
  LADDER_TRY(const bool kept, keep(request, std::move(change)));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return code;
}

}  // namespace ladder::auth

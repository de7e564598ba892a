#include "auth/requests.h"

#include "auth/body.h"
#include "auth/details.h"
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
  out.member("grants", request.grant_ids)
      .optional_member("review", request.review)
      .optional_member("choices", request.choices)
      .end_object();
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

std::expected<AuthorizationRequest, AuthorizeError> Requests::begin(const AuthorizeParameters& asked,
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
  const auto unwanted = blocks_.cover_for_all_owners(request);
  if (!unwanted) return back("temporarily_unavailable", unwanted.error().message);
  if (*unwanted) return back("access_denied", "the owner has blocked this client");
  auto kept = keep_new(std::move(request), asked.address);
  // The authorize endpoint allows fewer error names than the others.
  if (!kept)
    return back(kept.error().status >= 500 && kept.error().error == "server_error" ? "server_error" : "temporarily_unavailable",
                kept.error().description);
  return *std::move(kept);
}

OAuthResult<AuthorizationRequest> Requests::begin_pushed(const AuthorizeParameters& asked, const ServerUrl& server_url) {
  auto begun = begin(asked, server_url);
  if (begun) return *std::move(begun);
  const AuthorizeError& fault = begun.error();
  return std::unexpected(OAuthError{fault.status == 303 ? 400 : fault.status, fault.error, fault.description, -1});
}

OAuthResult<AuthorizationRequest> Requests::without_redirect(const AuthorizeParameters& asked, const ServerUrl& server_url,
                                                             RequestKind kind) {
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
  LADDER_OAUTH_TRY(const bool unwanted, blocks_.cover_for_all_owners(request));
  if (unwanted) return refuse("access_denied", "the owner has blocked this client", 403);
  return request;
}

OAuthResult<DeviceResponse> Requests::begin_device(const AuthorizeParameters& asked, const ServerUrl& server_url) {
  auto request = without_redirect(asked, server_url, RequestKind::kDevice);
  if (!request) return std::unexpected(request.error());
  const auto kept = keep_new(*std::move(request), asked.address);
  if (!kept) return std::unexpected(kept.error());
  return add_poller(kept->id, kept->client_id);
}

OAuthResult<AuthorizationRequest> Requests::begin_review(const AuthorizeParameters& asked, const ServerUrl& server_url) {
  auto request = without_redirect(asked, server_url, RequestKind::kReview);
  if (!request) return request;
  return keep_new(*std::move(request), asked.address);
}

OAuthResult<DeviceResponse> Requests::add_poller(std::string_view id, std::string_view client_id) {
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
  const Instant now = state_.clock.now();
  json::Writer body;
  body.begin_object().member("request", request->id).member("client_id", request->client_id).member("polled", std::int64_t{0});
  body.end_object();
  store::AuthChange change;
  change.puts.push_back({"device", hash_key(code), 0, body.take(), now, request->expires_at, 0});
  LADDER_OAUTH_TRY(const bool kept, keep(*request, std::move(change)));
  if (!kept) return refuse("invalid_request", "the request was opened at the same time; try again");
  return DeviceResponse{code, request->user_code, (request->expires_at - now) / kSecond, request->id};
}

OAuthResult<AuthorizationRequest> Requests::keep_new(AuthorizationRequest request, std::string_view address) {
  LADDER_OAUTH_TRY(const std::int64_t waiting, state_.items.count("request"));
  if (waiting >= kMaxRequests)
    return std::unexpected(OAuthError{503, "temporarily_unavailable", "too many requests are pending", 60});
  // Prevents one caller from filling the request table.
  if (!address.empty()) {
    if (auto allowed = count_attempt(state_.items, state_.clock.now(), "ask:" + std::string(address), kRequests); !allowed) {
      return std::unexpected(allowed.error());
    }
  }
  request.id = base64url::encode(crypto::random_bytes(kIdBytes));
  request.user_code = new_user_code();
  request.status = "waiting";
  request.created_at = state_.clock.now();
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

Result<bool> Requests::keep(const AuthorizationRequest& request, store::AuthChange change) {
  change.puts.push_back(
      {"request", request.id, request.owner, request_body(request), request.created_at, request.expires_at, request.version});
  return state_.items.apply(change);
}

Result<AuthorizationRequest> Requests::find(std::string_view id) {
  LADDER_TRY(const auto item, state_.items.find("request", id));
  if (!item || state_.clock.now() >= item->expires_at.value_or(0)) return no_request();
  return request_of(*item);
}

Result<AuthorizationRequest> Requests::open(std::string_view id, const server::Access& owner) {
  LADDER_TRY(AuthorizationRequest request, find(id));
  if (request.owner == owner.owner()) return request;
  if (request.owner != 0) return no_request();
  request.owner = owner.owner();
  LADDER_TRY(const bool unwanted, blocks_.covers(owner.owner(), request));
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

Result<std::string> Requests::client_of(std::string_view id) {
  LADDER_TRY(const AuthorizationRequest request, find(id));
  return request.client_id;
}

Result<std::string> Requests::find_by_code(std::string_view user_code, std::string_view guesser) {
  const Instant now = state_.clock.now();
  const std::string key = "code:" + std::string(guesser);
  if (!guesser.empty()) {
    if (const auto allowed = count_attempt(state_.items, now, key, kCodeGuesses, Counting::kLook); !allowed) {
      if (allowed.error().status != 429) return fail(Code::kStoreUnavailable, allowed.error().description);
      Error error{Code::kRateLimited,
                  format("Too many codes were wrong. You can try again in {} seconds.", allowed.error().retry_after), "code"};
      error.details().retry_after_seconds = allowed.error().retry_after;
      return std::unexpected(std::move(error));
    }
  }
  LADDER_TRY(const auto item, state_.items.find("user_code", plain_code(user_code)));
  if (!item || now >= item->expires_at.value_or(0)) {
    if (!guesser.empty()) (void)count_attempt(state_.items, now, key, kCodeGuesses);
    return fail(Code::kNotFound, "No request has that code, or its 30 minutes have passed.", "code");
  }
  return Body(item->body).text("request");
}

Result<std::vector<AuthorizationRequest>> Requests::opened(const server::Access& owner) { return of_owner(owner.owner()); }

Result<std::vector<AuthorizationRequest>> Requests::unopened(const server::Access& owner) {
  if (!owner.is_owner()) return fail(Code::kPermission, "only an owner sees that requests wait");
  return of_owner(0);
}

Result<std::vector<AuthorizationRequest>> Requests::of_owner(store::OwnerNo owner) {
  LADDER_TRY(const auto items, state_.items.list("request", owner));
  std::vector<AuthorizationRequest> all;
  for (const store::AuthItem& item : items) {
    if (state_.clock.now() < item.expires_at.value_or(0)) all.push_back(request_of(item));
  }
  return all;
}

Status Requests::deny(const AuthorizationRequest& asked) {
  AuthorizationRequest request = asked;
  request.status = "denied";
  LADDER_TRY(const bool kept, keep(request, {}));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return {};
}

}  // namespace ladder::auth

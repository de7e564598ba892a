#include "remote/exchange.h"

#include "base/text/format.h"
#include "http/message/message.h"
#include "http/message/origin.h"
#include "http/middleware/host_check.h"
#include "model/quote.h"
#include "remote/answer.h"
#include "remote/redirect.h"
#include "remote/refusal.h"
#include "trace/trace.h"

#include <algorithm>

namespace ladder::remote {
namespace {

// mcp_package is also a client token: several grants under one token (PDPP "tokens").
bool is_client_kind(std::string_view kind) { return kind == "client" || kind == "mcp_package"; }

std::string kind_in(std::string_view schema_body) {
  auto answer = Answer::parse(schema_body);
  if (!answer) return {};
  const Object outer = answer->object();
  const json::Value* const inside = outer.find("data");
  const Object body = inside && inside->kind == json::Kind::kObject ? outer.at("data", *inside) : outer;
  const json::Value* const bearer = body.find("bearer");
  if (!bearer || bearer->kind != json::Kind::kObject) return {};
  return body.at("bearer", *bearer).hint({"token_kind", "pdpp_token_kind"});
}

}  // namespace

void TokenKinds::learn(const std::string& token, std::string_view schema_body) {
  std::string kind = kind_in(schema_body);
  if (kind.empty()) return;
  const MutexLock lock(mutex_);
  if (kinds_.size() >= kMaxTokens && !kinds_.contains(token)) kinds_.clear();
  kinds_.insert_or_assign(token, std::move(kind));
}

bool TokenKinds::knows(const std::string& token) {
  const MutexLock lock(mutex_);
  return kinds_.contains(token);
}

Status TokenKinds::check(const std::string& token, std::string_view server) {
  const MutexLock lock(mutex_);
  const auto found = kinds_.find(token);
  if (found == kinds_.end()) {
    return fail(
        Code::kRsProtocol,
        format("{} does not say in bearer.token_kind of its /v1/schema whether the token is a client's or an owner's, and "
               "owner credentials are never given to an agent; nothing was read. If the token is in a file, its "
               "\"token_kind\": \"client\" says so, too",
               server));
  }
  if (is_client_kind(found->second)) return {};
  if (found->second == "owner") {
    return fail(Code::kPermission,
                "the token is an owner's, and owner credentials are never given to an agent; use a client's token");
  }
  return fail(Code::kPermission,
              format("the token is of the unknown kind {}; use a client's token", model::in_quotes(found->second)));
}

namespace {

std::unexpected<Error> bad_address(std::string_view text) {
  return fail(Code::kInvalidRequest,
              format("{} is not the address of a resource server; use https://host, https://host/path or http://127.0.0.1:7663",
                     model::in_quotes(text)),
              "--provider-url");
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\'; });
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  const std::string_view given = http::trimmed(text);
  if (given.empty() || !is_plain(given)) return bad_address(given);
  const std::size_t mark = given.find("://");
  const std::string_view scheme = mark == std::string_view::npos ? "https" : given.substr(0, mark);
  std::string_view rest = mark == std::string_view::npos ? given : given.substr(mark + 3);
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  std::string_view path = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  while (path.ends_with('/')) path.remove_suffix(1);

  Endpoint endpoint;
  endpoint.tls = !http::equal_without_case(scheme, "http");
  endpoint.origin = format("{}://{}", endpoint.tls ? "https" : "http", authority);
  const auto origin = http::parse_origin(endpoint.origin);
  if (!origin || (endpoint.tls && !http::equal_without_case(scheme, "https"))) return bad_address(given);
  endpoint.prefix = path;
  endpoint.authority = authority;
  endpoint.url = endpoint.origin + endpoint.prefix;
  endpoint.is_loopback = http::is_loopback(origin->host);
  return endpoint;
}

namespace {

constexpr int kUnauthorized = 401;
constexpr int kRangeNotSatisfiable = 416;
constexpr int kTooManyRequests = 429;
constexpr std::string_view kSchema = "schema";
constexpr std::string_view kSchemaTargets[] = {"/v1/schema?view=compact", "/v1/schema"};  // some servers reject the first form
constexpr std::string_view kFewerRecords = "request fewer records, or fewer fields";
constexpr std::string_view kNoParts =
    "the server does not support Range requests for blobs, and this blob is too large to read completely";

// A token with white space could inject another header.
bool is_sendable(const std::string& token) { return !token.empty() && token.find_first_of(" \t\r\n") == std::string::npos; }

// In the path or in connection_id. Some servers and databases truncate a name at a NUL and would look up another one.
bool contains_nul(std::string_view target) {
  constexpr std::string_view kNul = "%00", kConnection = "connection_id=";
  if (target.substr(0, target.find('?')).find(kNul) != std::string_view::npos) return true;
  const std::size_t at = target.find(kConnection);
  if (at == std::string_view::npos) return false;
  const std::string_view value = target.substr(at, target.find('&', at) - at);
  return value.find(kNul) != std::string_view::npos;
}

bool is_ok(int status) { return status >= 200 && status <= 299; }

// Reports whether the status applies to every request with this token.
bool applies_to_all_requests(int status) {
  return status == kUnauthorized || status == 403 || status == kTooManyRequests || status >= 500;
}

std::string_view word_of(http::ClientFault fault) {
  switch (fault) {
    case http::ClientFault::kUnreachable:
      return "unreachable";
    case http::ClientFault::kTimeout:
      return "timeout";
    case http::ClientFault::kTooLarge:
      return "too_large";
    case http::ClientFault::kCancelled:
      return "cancelled";
    case http::ClientFault::kForbidden:
    case http::ClientFault::kCertificate:
    case http::ClientFault::kProtocol:
      break;
  }
  return "protocol";
}

// Sends the trace of this thread's work with its own span. Redirect targets do not get it.
std::expected<http::ClientResponse, http::ClientError> send_traced(http::Client& client, http::ClientRequest& request,
                                                                   const Endpoint& endpoint, const std::stop_token& stop) {
  const trace::Scope* const work = trace::Scope::current();
  if (work == nullptr) return client.send(request, stop);
  trace::Span span;
  span.context = trace::child_of(work->context());
  span.kind = trace::SpanKind::kClient;
  span.name = request.method;
  span.begin = Clock::system().now();
  request.headers.set("traceparent", span.context.traceparent());
  if (!span.context.state.empty()) request.headers.set("tracestate", span.context.state);
  auto response = client.send(request, stop);
  if (work->sink() == nullptr) return response;
  span.end = Clock::system().now();
  span.failed = !response || response->status >= 400;
  span.texts = {{"http.request.method", request.method}, {"server.address", endpoint.authority}};
  if (response) span.numbers = {{"http.response.status_code", response->status}};
  if (span.failed) {
    span.texts.emplace_back("error.type",
                            response ? std::to_string(response->status) : std::string(word_of(response.error().fault)));
  }
  work->sink()->add(std::move(span));
  return response;
}

}  // namespace

Result<Exchange> Exchange::create(Endpoint endpoint, http::ClientOptions options, std::shared_ptr<Credentials> credentials) {
  options.origin = endpoint.origin;
  LADDER_TRY(auto client, http::Client::create(options));
  return Exchange(std::move(endpoint), options, std::move(client), std::move(credentials));
}

Exchange::Exchange(Endpoint endpoint, const http::ClientOptions& options, std::unique_ptr<http::Client> client,
                   std::shared_ptr<Credentials> credentials)
    : endpoint_(std::move(endpoint)),
      timeout_(options.timeout),
      client_(std::move(client)),
      others_(std::make_unique<OtherServers>(options)),
      kinds_(std::make_unique<TokenKinds>()),
      credentials_(std::move(credentials)) {}

Result<Reply> Exchange::get(std::string_view operation, std::string target, const std::stop_token& stop) {
  return get(operation, std::move(target), Tells::kData, stop);
}

Result<Reply> Exchange::get_schema(std::string target, const std::stop_token& stop) {
  return get(kSchema, std::move(target), Tells::kKind, stop);
}

Result<Reply> Exchange::get(std::string_view operation, std::string target, Tells tells, const std::stop_token& stop) {
  http::ClientRequest request;
  request.target = std::move(target);
  LADDER_TRY(auto response, send(operation, std::move(request), tells, kFewerRecords, stop));
  if (!is_ok(response.status)) {
    if (response.status < 400) {
      return misunderstood(operation, format("it redirects to another address (HTTP status {})", response.status));
    }
    return std::unexpected(refusal_of(response, endpoint_.url, operation));
  }
  std::string id = request_id_of(response);
  return Reply{std::move(response.body), std::move(id)};
}

Result<http::ClientResponse> Exchange::bytes(std::string_view operation, http::ClientRequest request,
                                             const std::stop_token& stop) {
  request.deadline = std::chrono::steady_clock::now() + timeout_;
  LADDER_TRY(auto response, send(operation, request, Tells::kData, kNoParts, stop));
  if (is_redirect(response) && request.method == "GET") return follow(operation, request, std::move(response), stop);
  if (response.status >= 400 && response.status != kRangeNotSatisfiable) {
    return std::unexpected(refusal_of(response, endpoint_.url, operation));
  }
  return response;
}

// The token is never sent to a redirect target, even at the same origin: the URL contains its own authorization, and storage
// services reject two.
Result<http::ClientResponse> Exchange::follow(std::string_view operation, const http::ClientRequest& first,
                                              http::ClientResponse response, const std::stop_token& stop) {
  http::ClientRequest request;
  request.deadline = first.deadline;
  request.headers.set("Accept", "*/*");
  request.headers.set("User-Agent", "ladder");
  if (const auto range = first.headers.get("Range")) request.headers.set("Range", std::string(*range));
  LADDER_TRY(http::Origin sender, http::parse_origin(endpoint_.origin));
  http::AddressScope nearest = closest_allowed_scope(response.from);
  for (int hops = 0; is_redirect(response); ++hops) {
    if (hops == kMaxHops) {
      return misunderstood(operation, format("it was redirected more than {} times, last by {}", kMaxHops, address_of(sender)));
    }
    auto hop = next_hop(sender, response);
    if (!hop) return misunderstood(operation, hop.error());
    const bool stays = hops == 0 && same_origin(sender, hop->origin);
    std::shared_ptr<http::Client> client = client_;
    if (!stays) {
      LADDER_TRY(client, others_->client(hop->origin, nearest));
    }
    request.target = std::move(hop->target);
    auto answer = client->send(request, stop);
    sender = std::move(hop->origin);
    if (!answer) return std::unexpected(failure(operation, answer.error(), address_of(sender), kNoParts));
    response = *std::move(answer);
    nearest = std::min(nearest, closest_allowed_scope(response.from));
  }
  if (response.status >= 400 && response.status != kRangeNotSatisfiable) {
    return std::unexpected(redirect_target_error(response.status, endpoint_.url, address_of(sender), operation));
  }
  return response;
}

Status Exchange::check_kind(const std::string& token) {
  if (!kinds_->knows(token) && credentials_->is_known_client(token)) return {};
  return kinds_->check(token, endpoint_.url);
}

Result<std::optional<http::ClientResponse>> Exchange::ask_kind(const std::string& token, const http::ClientRequest& before,
                                                               const std::stop_token& stop) {
  if (!kinds_->knows(token) && !credentials_->is_known_client(token)) {
    for (const std::string_view target : kSchemaTargets) {
      http::ClientRequest request;
      request.deadline = before.deadline;  // one deadline for all requests of an operation
      request.target = endpoint_.prefix + std::string(target);
      request.headers.set("Accept", "application/json");
      request.headers.set("User-Agent", "ladder");
      request.headers.set("Authorization", "Bearer " + token);
      auto response = send_traced(*client_, request, endpoint_, stop);
      if (!response) return std::unexpected(failure(kSchema, response.error(), endpoint_.origin, "it cannot be read"));
      if (applies_to_all_requests(response->status)) return *std::move(response);
      if (is_ok(response->status)) kinds_->learn(token, response->body);
      if (kinds_->knows(token)) break;
    }
  }
  LADDER_CHECK(check_kind(token));
  return std::nullopt;
}

Result<http::ClientResponse> Exchange::send(std::string_view operation, http::ClientRequest request, Tells tells,
                                            std::string_view smaller, const std::stop_token& stop) {
  if (contains_nul(request.target)) {
    return fail(Code::kInvalidId, "an id, a stream or a connection contains a NUL character");
  }
  LADDER_TRY(std::string token, credentials_->token());
  request.target.insert(0, endpoint_.prefix);
  request.headers.set("Accept", "application/json");
  request.headers.set("User-Agent", "ladder");
  for (bool again = false;; again = true) {
    if (!is_sendable(token)) return fail(Code::kAuthentication, "the token cannot be sent: it is empty or contains white space");
    std::optional<http::ClientResponse> answered;
    if (tells == Tells::kData) {
      LADDER_TRY(answered, ask_kind(token, request, stop));
    }
    if (!answered) {
      request.headers.set("Authorization", "Bearer " + token);
      auto sent = send_traced(*client_, request, endpoint_, stop);
      if (!sent) return std::unexpected(failure(operation, sent.error(), endpoint_.origin, smaller));
      answered = *std::move(sent);
    }
    http::ClientResponse& response = *answered;
    if (tells == Tells::kKind && is_ok(response.status)) {
      kinds_->learn(token, response.body);
      LADDER_CHECK(check_kind(token));
    }
    if (response.status != kUnauthorized || again) return std::move(response);
    auto other = credentials_->instead_of(token);
    if (!other) return std::move(response);
    token = *std::move(other);
  }
}

Error Exchange::failure(std::string_view operation, const http::ClientError& error, const std::string& asked,
                        std::string_view smaller) const {
  const bool is_elsewhere = asked != endpoint_.origin;
  const bool names_server = !is_elsewhere && error.message.find(asked) != std::string::npos;
  std::string what = names_server ? std::string(operation) : format("{} of {}", operation, endpoint_.url);
  if (is_elsewhere) what += format(", which redirects to {}", asked);
  what += ": " + error.message;
  switch (error.fault) {
    case http::ClientFault::kUnreachable:
      return {Code::kRsUnreachable, what};
    case http::ClientFault::kTimeout:
      return {Code::kRsTimeout, what};
    case http::ClientFault::kCancelled:
      return {Code::kCancelled, what};
    case http::ClientFault::kTooLarge:
      return {Code::kResourceLimit, format("{}; {}", what, smaller)};
    case http::ClientFault::kForbidden:
    case http::ClientFault::kCertificate:
    case http::ClientFault::kProtocol:
      break;
  }
  return {Code::kRsProtocol, what};
}

std::unexpected<Error> Exchange::misunderstood(std::string_view operation, std::string_view why) const {
  return fail(Code::kRsProtocol, format("the response of {} to {} is invalid: {}", endpoint_.url, operation, why));
}

}  // namespace ladder::remote

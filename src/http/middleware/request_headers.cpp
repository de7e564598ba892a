#include "http/middleware/request_headers.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/random.h"
#include "http/message/message.h"
#include "http/middleware/access_log.h"

#include <algorithm>
#include <string_view>

namespace ladder::http {
namespace {

// b64token of RFC 6750. Padding may appear anywhere, since the token is only hashed.
bool is_token_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::string> bearer_token(const Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.headers.get("Authorization");
  if (!header) return fail(Code::kAuthentication, "this route needs a token; send \"Authorization: Bearer TOKEN\"");
  if (request.headers.count("Authorization") != 1)
    return fail(Code::kAuthentication, "send one Authorization header, not several");
  if (!equal_without_case(header->substr(0, kScheme.size()), kScheme)) {
    return fail(Code::kAuthentication,
                "the Authorization header does not use the Bearer scheme; send \"Authorization: Bearer TOKEN\"");
  }
  const auto token = header->substr(kScheme.size());
  if (token.empty() || !std::ranges::all_of(token, is_token_byte)) {
    return fail(Code::kAuthentication, "the bearer token is empty or contains invalid characters");
  }
  if (token.size() > limits::kMaxTokenBytes) {
    return fail(Code::kAuthentication, format("the bearer token is longer than {} bytes", limits::kMaxTokenBytes));
  }
  return std::string(token);
}

Status check_version(const Request& request) {
  const auto sent = request.headers.get("PDPP-Version");
  if (!sent) return {};
  if (request.headers.count("PDPP-Version") == 1 && *sent == kPdppVersion) return {};
  return fail(Code::kUnsupportedVersion,
              format("this server supports PDPP-Version {} only; send that or omit the header", kPdppVersion), "PDPP-Version");
}

void send_version(Response& response) { response.headers.set("PDPP-Version", std::string(kPdppVersion)); }

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

// Request ids are not secret, so each thread fetches random bytes for many at once.
std::string new_request_id() {
  constexpr std::size_t kBytes = 8, kAtOnce = 64;
  thread_local std::string bytes;
  if (bytes.size() < kBytes) bytes = crypto::random_bytes(kBytes * kAtOnce);
  std::string id = "req_" + to_hex(std::string_view(bytes).substr(bytes.size() - kBytes));
  bytes.resize(bytes.size() - kBytes);
  return id;
}

void take_request_id(Request& request) {
  const auto sent = request.headers.get("Request-Id");
  request.id = sent && is_request_id(*sent) ? std::string(*sent) : new_request_id();
}

void send_request_id(std::string_view id, Response& response) {
  response.headers.set("Request-Id", std::string(id));
  response.headers.set("x-request-id", std::string(id));
}

namespace {

constexpr int kServerError = 500;

}  // namespace

SpanContext span_of(const Request& request, const SpanSink* sink) {
  if (request.headers.count("traceparent") == 1) {
    const auto parent = parse_traceparent(*request.headers.get("traceparent"));
    const bool has_state = request.headers.count("tracestate") == 1;
    if (parent) return continue_trace(parent, has_state ? *request.headers.get("tracestate") : std::string_view());
  }
  return sink != nullptr && sink->wants_spans() ? begin_trace() : SpanContext();
}

Span server_span(const SpanContext& context, const AnsweredRequest& answered) {
  const std::string_view known = known_method(answered.request.method);
  const std::string method(known == "-" ? "_OTHER" : known);
  Span span;
  span.context = context;
  span.name = answered.route.empty() ? method : format("{} {}", method, answered.route);
  span.begin = answered.begin;
  span.end = answered.end;
  span.failed = answered.status >= kServerError;
  span.texts = {{"http.request.method", method}, {"url.scheme", answered.request.over_tls ? "https" : "http"}};
  if (!answered.route.empty()) span.texts.emplace_back("http.route", answered.route);
  if (span.failed) span.texts.emplace_back("error.type", std::to_string(answered.status));
  span.numbers = {{"http.response.status_code", answered.status}};
  return span;
}

namespace {

constexpr std::string_view kMethods = "GET, HEAD, POST, DELETE";
constexpr std::string_view kRequestHeaders =
    "Authorization, Content-Type, Range, If-Range, If-None-Match, PDPP-Version, Request-Id, Mcp-Protocol-Version, "
    "Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID";
constexpr std::string_view kResponseHeaders =
    "Request-Id, X-Request-Id, PDPP-Version, PDPP-Warning, Retry-After, WWW-Authenticate, Content-Range, ETag, Mcp-Session-Id";
constexpr std::string_view kMaxAgeSeconds = "600";

bool is_allowed(const std::vector<std::string>& allowed, const Request& request) {
  const auto origin = request.headers.get("Origin");
  if (!origin || request.headers.count("Origin") != 1) return false;
  return std::ranges::any_of(allowed, [&](const std::string& one) { return equal_without_case(one, *origin); });
}

}  // namespace

std::optional<Response> preflight_answer(const std::vector<std::string>& allowed, const Request& request) {
  const bool asks = request.method == "OPTIONS" && request.headers.get("Access-Control-Request-Method").has_value();
  if (!asks || !is_allowed(allowed, request)) return std::nullopt;
  Response response;
  response.status = 204;
  response.headers.set("Access-Control-Allow-Methods", std::string(kMethods));
  response.headers.set("Access-Control-Allow-Headers", std::string(kRequestHeaders));
  response.headers.set("Access-Control-Max-Age", std::string(kMaxAgeSeconds));
  // Some browsers send this preflight before a public page may access a local address.
  if (request.headers.get("Access-Control-Request-Private-Network") == "true") {
    response.headers.set("Access-Control-Allow-Private-Network", "true");
  }
  return response;
}

void send_cors(const std::vector<std::string>& allowed, const Request& request, Response& response) {
  if (allowed.empty()) return;
  response.headers.add("Vary", "Origin");
  if (!is_allowed(allowed, request)) return;
  response.headers.set("Access-Control-Allow-Origin", std::string(*request.headers.get("Origin")));
  response.headers.set("Access-Control-Expose-Headers", std::string(kResponseHeaders));
}

}  // namespace ladder::http

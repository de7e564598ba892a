#include "http/middleware/cors.h"

#include "http/message/message.h"

#include <algorithm>
#include <string_view>

namespace ladder::http {
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
  // Some browsers ask on their own behalf before a page of the internet reaches a machine nearby.
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

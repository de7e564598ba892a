#include "http/middleware/request_id.h"

#include "crypto/random.h"

#include <algorithm>

namespace ladder::http {

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

std::string new_request_id() { return "req_" + crypto::random_hex(8); }

void take_request_id(Request& request) {
  const auto sent = request.headers.get("Request-Id");
  request.id = sent && is_request_id(*sent) ? std::string(*sent) : new_request_id();
}

void send_request_id(std::string_view id, Response& response) {
  response.headers.set("Request-Id", std::string(id));
  response.headers.set("x-request-id", std::string(id));
}

}  // namespace ladder::http

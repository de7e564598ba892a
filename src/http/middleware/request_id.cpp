#include "http/middleware/request_id.h"

#include "base/text/bytes.h"
#include "crypto/random.h"

#include <algorithm>

namespace ladder::http {

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxRequestIdBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  });
}

// No secret, so a thread may keep the next ones: the system is asked once for many.
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

}  // namespace ladder::http

#include "http/middleware/bearer.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "http/message/message.h"

#include <algorithm>
#include <string_view>

namespace ladder::http {
namespace {

// b64token of RFC 6750; the padding is not checked to be last, since the token is only ever hashed.
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
                "the Authorization header is not of the Bearer scheme; send \"Authorization: Bearer TOKEN\"");
  }
  const auto token = header->substr(kScheme.size());
  if (token.empty() || !std::ranges::all_of(token, is_token_byte)) {
    return fail(Code::kAuthentication, "the bearer token is empty or has characters that no token has");
  }
  if (token.size() > limits::kMaxTokenBytes) {
    return fail(Code::kAuthentication, format("the bearer token is longer than {} bytes", limits::kMaxTokenBytes));
  }
  return std::string(token);
}

}  // namespace ladder::http

#include "remote/endpoint.h"

#include "base/format.h"
#include "http/middleware/host_name.h"
#include "http/origin.h"
#include "http/syntax.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::remote {
namespace {

std::unexpected<Error> bad_address(std::string_view text) {
  return fail(Code::kInvalidRequest,
              format("{} is no address of a resource server; write https://host, https://host/path or http://127.0.0.1:7663",
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

}  // namespace ladder::remote

#include "http/middleware/origin_check.h"

#include "http/middleware/host_name.h"
#include "http/syntax.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ladder::http {
namespace {

constexpr std::string_view kRefused = "pages of that Origin may not call this server; name it in the server's allowed origins";

struct Origin {
  std::string_view scheme;
  HostName name;
};

std::optional<Origin> parse_origin(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return std::nullopt;  // "null" as well: a sandboxed or local page, which could be anyone's
  const auto scheme = text.substr(0, mark);
  if (!equal_without_case(scheme, "http") && !equal_without_case(scheme, "https")) return std::nullopt;
  const auto name = parse_host(text.substr(mark + 3));
  if (!name) return std::nullopt;
  return Origin{scheme, *name};
}

std::string_view port_of(const HostName& name, bool tls) {
  return !name.port.empty() ? std::string_view(name.port) : tls ? "443" : "80";
}

}  // namespace

std::string origin_fault(const std::vector<std::string>& allowed, const Request& request) {
  const auto header = request.headers.get("Origin");
  if (!header) return {};
  if (request.headers.count("Origin") != 1) return std::string(kRefused);
  if (std::ranges::any_of(allowed, [&](const std::string& one) { return equal_without_case(one, *header); })) return {};
  const auto origin = parse_origin(*header);
  if (!origin) return std::string(kRefused);
  if (is_loopback(origin->name.host)) return {};
  const auto host = request.headers.get("Host");
  const auto own = host ? parse_host(*host) : std::nullopt;
  const bool tls = equal_without_case(origin->scheme, "https");
  if (own && own->host == origin->name.host && port_of(*own, tls) == port_of(origin->name, tls)) return {};
  return std::string(kRefused);
}

}  // namespace ladder::http

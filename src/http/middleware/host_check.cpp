#include "http/middleware/host_check.h"

#include "http/message/message.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ladder::http {

bool is_named(const std::vector<std::string>& names, std::string_view host) {
  const auto sent = parse_host(host);
  return sent && std::ranges::any_of(names, [&](const std::string& name) {
           const auto known = parse_host(name);
           return known && known->host == sent->host && (known->port.empty() || known->port == sent->port);
         });
}

std::string host_fault(const HostRule& rule, const Request& request) {
  const auto bound =
      parse_host(rule.bound_address.find(':') == std::string::npos ? rule.bound_address : "[" + rule.bound_address + "]");
  const bool on_loopback = bound && is_loopback(bound->host);
  if (!on_loopback && rule.public_hosts.empty()) return {};
  const auto header = request.headers.get("Host");
  const auto sent = header ? parse_host(*header) : std::nullopt;
  if (sent && on_loopback && is_loopback(sent->host)) return {};
  if (sent && is_named(rule.public_hosts, *header)) return {};
  return "this server does not accept that Host; use localhost or 127.0.0.1, or add the host to the server's public hosts";
}

namespace {

constexpr std::string_view kRefused = "pages of that Origin may not call this server; add it to the server's allowed origins";

struct SentOrigin {
  std::string_view scheme;
  HostName name;
};

std::optional<SentOrigin> parse_sent_origin(std::string_view text) {
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return std::nullopt;  // also "null", which any sandboxed or local page sends
  const auto scheme = text.substr(0, mark);
  if (!equal_without_case(scheme, "http") && !equal_without_case(scheme, "https")) return std::nullopt;
  const auto name = parse_host(text.substr(mark + 3));
  if (!name) return std::nullopt;
  return SentOrigin{scheme, *name};
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
  const auto origin = parse_sent_origin(*header);
  if (!origin) return std::string(kRefused);
  if (is_loopback(origin->name.host)) return {};
  const auto host = request.headers.get("Host");
  const auto own = host ? parse_host(*host) : std::nullopt;
  const bool tls = equal_without_case(origin->scheme, "https");
  if (own && own->host == origin->name.host && port_of(*own, tls) == port_of(origin->name, tls)) return {};
  return std::string(kRefused);
}

}  // namespace ladder::http

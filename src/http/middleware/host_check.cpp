#include "http/middleware/host_check.h"

#include "http/middleware/host_name.h"

#include <algorithm>

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
  return "this server does not answer to that Host; use localhost or 127.0.0.1, or name the host in the server's public hosts";
}

}  // namespace ladder::http

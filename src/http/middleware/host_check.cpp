#include "http/middleware/host_check.h"

#include "http/message/message.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace ladder::http {
namespace {

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'; }
bool is_address_char(char c) { return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.'; }

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_port(std::string_view text) { return is_digits(text) && text.size() <= 5; }

// Accepts four numbers of at most three digits; 127.0.0.1.evil.example does not match.
bool is_ipv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const auto dot = text.find('.');
    const auto number = text.substr(0, dot);
    if (!is_digits(number) || number.size() > 3) return false;
    if ((dot == std::string_view::npos) != (part == 3)) return false;
    text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
  }
  return true;
}

}  // namespace

std::optional<HostName> parse_host(std::string_view text) {
  HostName name;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name.host = lowered(text.substr(1, end - 1));
    if (name.host.empty() || !std::ranges::all_of(name.host, is_address_char)) return std::nullopt;
    text.remove_prefix(end + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    name.host = lowered(text.substr(0, colon));
    if (name.host.empty() || !std::ranges::all_of(name.host, is_name_char)) return std::nullopt;
    text.remove_prefix(colon);
  }
  if (text.empty()) return name;
  if (text.front() != ':' || !is_port(text.substr(1))) return std::nullopt;
  name.port = text.substr(1);
  return name;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_ipv4(host));
}

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

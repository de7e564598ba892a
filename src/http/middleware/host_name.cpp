#include "http/middleware/host_name.h"

#include "http/syntax.h"

#include <algorithm>

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

// Four numbers of at most three digits: 127.0.0.1.evil.example is none.
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

}  // namespace ladder::http

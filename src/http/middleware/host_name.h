// Host headers and origins taken apart: what host_check and origin_check both compare.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ladder::http {

struct HostName {
  std::string host;  // lower case; an IPv6 address without its brackets
  std::string port;  // empty when none is given

  bool operator==(const HostName&) const = default;
};

// "localhost", "localhost:7663", "[::1]:7663"; nullopt for anything else, such as user@host, a path or a bad port.
std::optional<HostName> parse_host(std::string_view text);

bool is_loopback(std::string_view host);  // localhost, 127.0.0.0/8 or ::1, as parse_host writes them

}  // namespace ladder::http

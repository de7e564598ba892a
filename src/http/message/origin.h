// Host names and server addresses: "localhost:7663", "http://host:port", "https://host".
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::http {

struct HostName {
  std::string host;  // lower case; an IPv6 address without its brackets
  std::string port;  // empty when none is given

  bool operator==(const HostName&) const = default;
};

// Parses "localhost", "localhost:7663", "[::1]:7663"; returns nullopt for anything else, such as user@host, a path or a bad
// port.
std::optional<HostName> parse_host(std::string_view text);

bool is_loopback(std::string_view host);  // localhost, 127.0.0.0/8 or ::1, in the form of parse_host

// A server address.
struct Origin {
  bool tls = false;
  std::string host;    // without brackets
  std::string port;    // as given, else 80 or 443
  std::string header;  // for the Host header: brackets and port as needed
};

// Accepts a trailing slash; returns kInvalidRequest for user names, paths and queries.
Result<Origin> parse_origin(std::string_view text);

// Returns the form that browsers send in an Origin header: lower case, without the default port.
std::string canonical_text(const Origin& origin);

// The reach of an address, which decides whether a server named by a client may be contacted. Names prove nothing, so the
// connecting code checks the resolved address.

// Ordered by distance: later values are closer to this machine.
enum class AddressScope : std::uint8_t {
  kPublic,
  kPrivate,   // private networks: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7
  kLoopback,  // 127.0.0.0/8, ::1
  kSpecial,   // link-local (cloud metadata), multicast, reserved: never a data server
};

// Expects 4 or 16 bytes in network order; other lengths are kSpecial. An embedded IPv4 address counts as itself.
AddressScope address_scope_of(std::span<const std::uint8_t> address);

std::string_view word_for(AddressScope scope);  // "public", "private", …

}  // namespace ladder::http

// "http://host:port" or "https://host[:port]", taken apart for the client.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder::http {

struct Origin {
  bool tls = false;
  std::string host;    // without brackets
  std::string port;    // as given, else 80 or 443
  std::string header;  // for the Host header: brackets and port as needed
};

// A trailing slash is taken; user names, paths and queries are not. kInvalidRequest.
Result<Origin> parse_origin(std::string_view text);

// As browsers write it in an Origin header: lower case, without the port that its scheme has anyway.
std::string canonical_text(const Origin& origin);

// How far an address reaches: whether a server that a stranger named may be asked at all. A name proves nothing, so it is the
// address that is looked at, after the lookup, by whoever connects to it.

// In this order: the later, the nearer to this machine.
enum class AddressScope : std::uint8_t {
  kPublic,
  kPrivate,   // a home's or an office's own: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7
  kLoopback,  // 127.0.0.0/8, ::1
  kSpecial,   // link-local (a cloud's metadata), multicast, reserved: no server of anybody's data is there
};

// 4 or 16 bytes in network order; anything else is kSpecial. An IPv4 address inside an IPv6 one counts as itself.
AddressScope address_scope_of(std::span<const std::uint8_t> address);

std::string_view word_for(AddressScope scope);  // "public", "private", …

}  // namespace ladder::http

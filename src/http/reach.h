// How far an address reaches: whether a server that a stranger named may be asked at all. A name proves nothing, so it is the
// address that is looked at, after the lookup, by whoever connects to it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ladder::http {

// In this order: the later, the nearer to this machine.
enum class Reach : std::uint8_t {
  kPublic,
  kPrivate,   // a home's or an office's own: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7
  kLoopback,  // 127.0.0.0/8, ::1
  kSpecial,   // link-local (a cloud's metadata), multicast, reserved: no server of anybody's data is there
};

// 4 or 16 bytes in network order; anything else is kSpecial. An IPv4 address inside an IPv6 one counts as itself.
Reach reach_of(std::span<const std::uint8_t> address);

std::string_view word_for(Reach reach);  // "public", "private", …

}  // namespace ladder::http

// A range of IP addresses, such as 10.0.0.0/8 or fd00::/8; a single address is a range of one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder::http {

class Network {
 public:
  // Returns nullopt for anything but ADDRESS or ADDRESS/BITS.
  static std::optional<Network> parse(std::string_view text);
  // Reports whether the address, written as text, is in the range. An IPv4 address in IPv6 form counts as IPv4.
  bool contains(std::string_view address) const;

 private:
  using Bytes = std::array<std::uint8_t, 16>;  // IPv4 as ::ffff:a.b.c.d

  static std::optional<Bytes> bytes_of(std::string_view address);

  Bytes first_{};
  int bits_ = 128;
};

}  // namespace ladder::http

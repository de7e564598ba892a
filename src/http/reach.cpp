// The ranges are IANA's registries of special-purpose addresses (RFC 6890 and its updates).
#include "http/reach.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ladder::http {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;

struct Range {
  std::array<std::uint8_t, kV6Bytes> prefix;
  std::size_t bits;
  Reach reach;
};

constexpr auto kV4Ranges = std::to_array<Range>({
    {{0}, 8, Reach::kSpecial},
    {{10}, 8, Reach::kPrivate},
    {{100, 64}, 10, Reach::kPrivate},
    {{127}, 8, Reach::kLoopback},
    {{169, 254}, 16, Reach::kSpecial},
    {{172, 16}, 12, Reach::kPrivate},
    {{192, 0, 0}, 24, Reach::kSpecial},
    {{192, 0, 2}, 24, Reach::kSpecial},
    {{192, 88, 99}, 24, Reach::kSpecial},
    {{192, 168}, 16, Reach::kPrivate},
    {{198, 18}, 15, Reach::kSpecial},
    {{198, 51, 100}, 24, Reach::kSpecial},
    {{203, 0, 113}, 24, Reach::kSpecial},
    {{224}, 3, Reach::kSpecial},
});

constexpr auto kV6Ranges = std::to_array<Range>({
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, Reach::kLoopback},
    {{0xfc}, 7, Reach::kPrivate},
    {{0x20, 0x01}, 23, Reach::kSpecial},  // protocols' own, tunnels of Teredo among them
    {{0x20, 0x01, 0x0d, 0xb8}, 32, Reach::kSpecial},
    {{0x3f, 0xff}, 20, Reach::kSpecial},
    {{0x20}, 3, Reach::kPublic},
});

// Where an IPv6 address holds an IPv4 one: mapped, behind NAT64, in a tunnel of 6to4.
struct Holder {
  std::array<std::uint8_t, kV6Bytes> prefix;
  std::size_t bits, at;
};
constexpr auto kHolders = std::to_array<Holder>({
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, 12},
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12},
    {{0x20, 0x02}, 16, 2},
});

bool begins_with(Bytes address, Bytes prefix, std::size_t bits) {
  const std::size_t whole = bits / 8;
  if (!std::ranges::equal(address.first(whole), prefix.first(whole))) return false;
  const std::size_t rest = bits % 8;
  return rest == 0 || (address[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

template <std::size_t kCount>
Reach find_in(const std::array<Range, kCount>& ranges, Bytes address, Reach otherwise) {
  const auto found =
      std::ranges::find_if(ranges, [&](const Range& range) { return begins_with(address, range.prefix, range.bits); });
  return found == ranges.end() ? otherwise : found->reach;
}

}  // namespace

Reach reach_of(Bytes address) {
  if (address.size() == kV4Bytes) return find_in(kV4Ranges, address, Reach::kPublic);
  if (address.size() != kV6Bytes) return Reach::kSpecial;
  for (const Holder& holder : kHolders) {
    if (begins_with(address, holder.prefix, holder.bits)) return reach_of(address.subspan(holder.at, kV4Bytes));
  }
  return find_in(kV6Ranges, address, Reach::kSpecial);
}

std::string_view word_for(Reach reach) {
  switch (reach) {
    case Reach::kPublic:
      return "public";
    case Reach::kPrivate:
      return "private";
    case Reach::kLoopback:
      return "loopback";
    case Reach::kSpecial:
      break;
  }
  return "special-purpose";
}

}  // namespace ladder::http

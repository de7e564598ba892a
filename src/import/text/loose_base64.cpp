// Whole groups are taken by four table look-ups; a mark in any of them sends the group to the slow way, one character at a time.
#include "import/text/loose_base64.h"

#include <array>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::uint32_t kNone = 0x8000'0000;
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Table = std::array<std::uint32_t, 256>;

constexpr Table values(int shift) {
  Table table{};
  table.fill(kNone);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint32_t>(i) << shift;
  }
  return table;
}

constexpr std::array<Table, 4> kPlaces = {values(18), values(12), values(6), values(0)};

std::uint32_t value(std::size_t place, char c) { return kPlaces[place][static_cast<unsigned char>(c)]; }

char* put_group(std::uint32_t group, char* out) {
  *out++ = static_cast<char>(group >> 16);
  *out++ = static_cast<char>(group >> 8);
  *out++ = static_cast<char>(group);
  return out;
}

}  // namespace

std::size_t LooseBase64::decode(std::string_view text, char* out) {
  const char* const begin = out;
  for (std::size_t at = 0; at < text.size();) {
    while (characters_ == 0 && text.size() - at >= 4) {
      const std::uint32_t group = value(0, text[at]) | value(1, text[at + 1]) | value(2, text[at + 2]) | value(3, text[at + 3]);
      if ((group & kNone) != 0) break;
      out = put_group(group, out);
      at += 4;
    }
    if (at == text.size()) break;
    const char c = text[at++];
    if (c == '=') out += end_group(out);
    const std::uint32_t bits = value(3, c);
    if (bits == kNone) continue;
    bits_ = bits_ << 6 | bits;
    if (++characters_ < 4) continue;
    out = put_group(std::exchange(bits_, 0), out);
    characters_ = 0;
  }
  return static_cast<std::size_t>(out - begin);
}

std::size_t LooseBase64::finish(char* out) { return end_group(out); }

// Two characters hold one byte, three hold two; one alone holds none.
std::size_t LooseBase64::end_group(char* out) {
  const std::uint32_t bits = std::exchange(bits_, 0);
  const int characters = std::exchange(characters_, 0);
  if (characters < 2) return 0;
  out[0] = static_cast<char>(characters == 2 ? bits >> 4 : bits >> 10);
  if (characters == 2) return 1;
  out[1] = static_cast<char>(bits >> 2);
  return 2;
}

}  // namespace ladder::imports

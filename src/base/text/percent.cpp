#include "base/text/percent.h"

#include <algorithm>
#include <array>

namespace ladder {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr auto kUnreserved = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (unsigned char c = '0'; c <= '9'; ++c) table[c] = true;
  for (const char c : {'-', '.', '_', '~'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

bool is_unreserved(char c) { return kUnreserved[static_cast<unsigned char>(c)]; }

}  // namespace

std::string percent_encode(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  while (true) {
    const std::size_t plain = static_cast<std::size_t>(std::ranges::find_if_not(bytes, is_unreserved) - bytes.begin());
    out += bytes.substr(0, plain);
    if (plain == bytes.size()) return out;
    const auto byte = static_cast<unsigned char>(bytes[plain]);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xFU];
    bytes.remove_prefix(plain + 1);
  }
}

std::optional<std::string> percent_decode_bytes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return out;
}

}  // namespace ladder

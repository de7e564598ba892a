// Decodes complete groups with four table lookups. A foreign character or padding sends the group to the slow path, one
// character at a time.
#include "import/text/loose_base64.h"

#include <algorithm>
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

// Two characters hold one byte, three hold two, one holds none.
std::size_t LooseBase64::end_group(char* out) {
  const std::uint32_t bits = std::exchange(bits_, 0);
  const int characters = std::exchange(characters_, 0);
  if (characters < 2) return 0;
  out[0] = static_cast<char>(characters == 2 ? bits >> 4 : bits >> 10);
  if (characters == 2) return 1;
  out[1] = static_cast<char>(bits >> 2);
  return 2;
}

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kLongLine = 40;  // Words of this length are rare, and base64 lines are longer.
constexpr std::size_t kLeastAfterPadding = 16;

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// Returns true if the line is probably base64: only letters of its alphabet, in groups of four unless the line is long.
bool is_base64_line(std::string_view line, bool after_padding) {
  if (!std::ranges::all_of(line, [](char c) { return c == '=' || value(3, c) != kNone; })) return false;
  if (line.size() >= kLongLine) return true;
  return line.size() % 4 == 0 && (!after_padding || line.size() >= kLeastAfterPadding || line.ends_with('='));
}

}  // namespace

std::size_t base64_end(std::string_view text) {
  // Almost every text ends with padding or with a line of base64. Only other texts are examined line by line.
  const std::string_view used = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  const std::size_t padding = used.find('=');
  const bool ends_with_padding =
      padding != std::string_view::npos && used.find_first_not_of("=\r\n", padding) == std::string_view::npos;
  const std::size_t last_line = used.find_last_of("\r\n") + 1;
  if (ends_with_padding || (padding == std::string_view::npos && is_base64_line(without_blanks(used.substr(last_line)), false)))
    return text.size();
  std::size_t end = 0;
  bool after_padding = false;
  for (std::size_t at = 0; at < used.size();) {
    const std::size_t stop = std::min(used.find_first_of("\r\n", at), used.size());
    const std::string_view line = without_blanks(used.substr(at, stop - at));
    at = stop + 1;
    if (line.empty() || !is_base64_line(line, after_padding)) continue;
    end = stop;
    after_padding = line.ends_with('=');
  }
  // A text without a valid line is damaged and decoded as far as possible. The same applies if the last line is truncated.
  const std::string_view after = without_blanks(text.substr(end));
  const bool is_cut_off = !after_padding && std::ranges::all_of(after, [](char c) { return value(3, c) != kNone; });
  return end == 0 || after.empty() || is_cut_off ? text.size() : end;
}

}  // namespace ladder::imports

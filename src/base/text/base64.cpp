#include "base/text/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ladder::base64 {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_sextets() {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}
constexpr std::array<std::int8_t, 256> kSextets = make_sextets();

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
}

}  // namespace

std::string encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t group = byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    out += kAlphabet[group >> 18];
    out += kAlphabet[group >> 12 & 0x3F];
    out += at + 1 < bytes.size() ? kAlphabet[group >> 6 & 0x3F] : '=';
    out += at + 2 < bytes.size() ? kAlphabet[group & 0x3F] : '=';
  }
  return out;
}

std::optional<std::string> decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const std::int8_t sextet = kSextets[static_cast<unsigned char>(c)];
    if (sextet < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(sextet)) & 0xFFFF;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xFF);
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace ladder::base64

// base64url: three bytes to four letters and back. Every byte string has exactly one encoding.

namespace ladder::base64url {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint32_t kNoLetter = 0xFF000000;  // a bit not set for any letter

constexpr auto kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xFF);
  for (std::size_t i = 0; i < kLetters.size(); ++i)
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::uint8_t>(i);
  return values;
}();

std::uint32_t value_of(char letter) {
  const std::uint8_t value = kValues[static_cast<unsigned char>(letter)];
  return value == 0xFF ? kNoLetter : value;
}

std::uint32_t byte_of(char c) { return static_cast<unsigned char>(c); }
char letter_of(std::uint32_t six_bits) { return kLetters[six_bits & 0x3F]; }

// Maps twelve bits to two letters: faster, since pages encode many handles.
using Pair = std::array<char, 2>;
constexpr auto kPairs = [] {
  std::array<Pair, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kLetters[i >> 6], kLetters[i & 0x3F]};
  return pairs;
}();
void put_pair(char* to, std::uint32_t twelve_bits) { std::memcpy(to, kPairs[twelve_bits & 0xFFF].data(), sizeof(Pair)); }

char* put_encoded(char* to, std::string_view bytes) {
  for (; bytes.size() >= 3; bytes.remove_prefix(3), to += 4) {
    const std::uint32_t group = byte_of(bytes[0]) << 16 | byte_of(bytes[1]) << 8 | byte_of(bytes[2]);
    put_pair(to, group >> 12);
    put_pair(to + 2, group);
  }
  if (bytes.size() == 1) {
    put_pair(to, byte_of(bytes[0]) << 4);
    to += 2;
  } else if (bytes.size() == 2) {
    const std::uint32_t group = (byte_of(bytes[0]) << 8 | byte_of(bytes[1])) << 2;
    put_pair(to, group >> 6);
    to[2] = letter_of(group);
    to += 3;
  }
  return to;
}

}  // namespace

std::string encode(std::string_view bytes) {
  std::string text;
  text.resize_and_overwrite((bytes.size() * 4 + 2) / 3,
                            [&](char* to, std::size_t) { return static_cast<std::size_t>(put_encoded(to, bytes) - to); });
  return text;
}

std::optional<std::string> decode(std::string_view text) {
  const std::size_t tail = text.size() % 4;
  if (tail == 1) return std::nullopt;
  std::string bytes(text.size() / 4 * 3 + (tail == 0 ? 0 : tail - 1), '\0');
  std::size_t in = 0;
  std::size_t out = 0;
  for (; in + 4 <= text.size(); in += 4, out += 3) {
    const std::uint32_t a = value_of(text[in]), b = value_of(text[in + 1]), c = value_of(text[in + 2]),
                        d = value_of(text[in + 3]);
    if (((a | b | c | d) & kNoLetter) != 0) return std::nullopt;
    const std::uint32_t group = a << 18 | b << 12 | c << 6 | d;
    bytes[out] = static_cast<char>(group >> 16);
    bytes[out + 1] = static_cast<char>(group >> 8);
    bytes[out + 2] = static_cast<char>(group);
  }
  if (tail == 2) {
    const std::uint32_t a = value_of(text[in]), b = value_of(text[in + 1]);
    if (((a | b) & kNoLetter) != 0 || (b & 0x0F) != 0) return std::nullopt;
    bytes[out] = static_cast<char>(a << 2 | b >> 4);
  } else if (tail == 3) {
    const std::uint32_t a = value_of(text[in]), b = value_of(text[in + 1]), c = value_of(text[in + 2]);
    if (((a | b | c) & kNoLetter) != 0 || (c & 0x03) != 0) return std::nullopt;
    bytes[out] = static_cast<char>(a << 2 | b >> 4);
    bytes[out + 1] = static_cast<char>(b << 4 | c >> 2);
  }
  return bytes;
}

}  // namespace ladder::base64url

// base64url: three bytes to four letters and back. There is exactly one text for every byte string.
#include "base/base64url.h"

#include <array>
#include <cstdint>

namespace ladder::base64url {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint32_t kNoLetter = 0xFF000000;  // a bit no letter has

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

}  // namespace

std::string encode(std::string_view bytes) {
  const std::size_t tail = bytes.size() % 3;
  std::string text(bytes.size() / 3 * 4 + (tail == 0 ? 0 : tail + 1), '\0');
  std::size_t in = 0;
  std::size_t out = 0;
  for (; in + 3 <= bytes.size(); in += 3, out += 4) {
    const std::uint32_t group = byte_of(bytes[in]) << 16 | byte_of(bytes[in + 1]) << 8 | byte_of(bytes[in + 2]);
    text[out] = letter_of(group >> 18);
    text[out + 1] = letter_of(group >> 12);
    text[out + 2] = letter_of(group >> 6);
    text[out + 3] = letter_of(group);
  }
  if (tail == 1) {
    const std::uint32_t group = byte_of(bytes[in]) << 4;
    text[out] = letter_of(group >> 6);
    text[out + 1] = letter_of(group);
  } else if (tail == 2) {
    const std::uint32_t group = (byte_of(bytes[in]) << 8 | byte_of(bytes[in + 1])) << 2;
    text[out] = letter_of(group >> 12);
    text[out + 1] = letter_of(group >> 6);
    text[out + 2] = letter_of(group);
  }
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

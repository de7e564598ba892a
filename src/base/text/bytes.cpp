// Integers and hexadecimal digits in byte strings.
#include "base/text/bytes.h"

#include <xxhash.h>
#include <array>
#include <cstddef>

namespace ladder {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// By table: digits and letters mix so evenly in hashes that branches on them are guessed wrong half the time.
constexpr auto kHexValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kHexDigits.size(); ++i) {
    const char digit = kHexDigits[i];
    values[static_cast<unsigned char>(digit)] = static_cast<std::int8_t>(i);
    if (digit >= 'a') values[static_cast<unsigned char>(digit - 'a' + 'A')] = static_cast<std::int8_t>(i);
  }
  return values;
}();

int hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

}  // namespace

void put_u64_be(std::string& out, std::uint64_t value) {
  char bytes[8];
  for (int i = 7; i >= 0; --i) {
    bytes[i] = static_cast<char>(value & 0xFF);
    value >>= 8;
  }
  out.append(bytes, sizeof bytes);
}

std::uint64_t get_u64_be(std::string_view eight_bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(eight_bytes[i]);
  return value;
}

void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> get_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  int shift = 0;
  for (std::size_t i = at; i < bytes.size(); ++i, shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (shift == 63 && byte > 1) return std::nullopt;  // the tenth byte has room for one bit
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      at = i + 1;
      return value;
    }
  }
  return std::nullopt;
}

void put_sized(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

std::optional<std::string_view> get_sized(std::string_view bytes, std::size_t& at) {
  const auto size = get_varint(bytes, at);
  if (!size || *size > bytes.size() - at) return std::nullopt;
  at += *size;
  return bytes.substr(at - *size, *size);
}

std::string to_hex(std::string_view bytes) {
  std::string hex(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    hex[2 * i] = kHexDigits[byte >> 4];
    hex[2 * i + 1] = kHexDigits[byte & 0x0F];
  }
  return hex;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  return bytes;
}

Checksum& Checksum::add(std::string_view bytes) {
  value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_);
  return *this;
}

// Little-endian on every machine.
Checksum& Checksum::add(std::int64_t number) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * i);
  return add(std::string_view(bytes.data(), bytes.size()));
}

}  // namespace ladder

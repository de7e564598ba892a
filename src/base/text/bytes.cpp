// Integers and hexadecimal digits in byte strings.
#include "base/text/bytes.h"

#include <xxhash.h>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace ladder {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// A table: digits and letters are mixed randomly in hashes, so branches would be mispredicted half of the time.
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

std::uint64_t load_little_endian(const char* eight_bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, eight_bytes, sizeof word);
  return std::endian::native == std::endian::little ? word : std::byteswap(word);
}

constexpr std::uint64_t every_byte(unsigned char value) { return 0x0101'0101'0101'0101U * value; }

// Decodes eight digits at a time, one per byte of a word, since every window decodes digests. False for other
// characters.
bool eight_from_hex(const char* digits, unsigned char* four_bytes) {
  const std::uint64_t given = load_little_endian(digits);
  const std::uint64_t letters = given >> 6 & every_byte(1);  // a bit that is set in letters but not in decimal digits
  const std::uint64_t values = (given & every_byte(0x0F)) + letters * 9;
  // Encode again in lower case: only hexadecimal digits come out unchanged.
  const std::uint64_t above_nine = (values + every_byte(6)) >> 4 & every_byte(1);
  const std::uint64_t again = values + every_byte('0') + above_nine * ('a' - '0' - 10);
  const bool all_digits = (values & every_byte(0xF0)) == 0 && again == (given | letters << 5);
  std::uint64_t bytes = (values << 4 | values >> 8) & 0x00FF'00FF'00FF'00FF;
  bytes = (bytes | bytes >> 8) & 0x0000'FFFF'0000'FFFF;
  bytes |= bytes >> 16;
  for (int i = 0; i < 4; ++i) four_bytes[i] = static_cast<unsigned char>(bytes >> 8 * i);
  return all_digits;
}

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
    if (shift == 63 && byte > 1) return std::nullopt;  // the tenth byte has room for only one bit
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

bool from_hex(std::string_view hex, std::span<unsigned char> bytes) {
  if (hex.size() != bytes.size() * 2) return false;
  bool all_digits = true;
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) all_digits &= eight_from_hex(&hex[2 * i], &bytes[i]);
  for (; i < bytes.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    all_digits &= high >= 0 && low >= 0;
    bytes[i] = static_cast<unsigned char>(high << 4 | low);
  }
  return all_digits;
}

std::optional<std::string> from_hex(std::string_view hex) {
  std::string bytes(hex.size() / 2, '\0');
  if (!from_hex(hex, {reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()})) return std::nullopt;
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

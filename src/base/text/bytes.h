// Fixed-width and variable-width integers in byte strings: big-endian (memcomparable) and LEB128.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder {

void put_u64_be(std::string& out, std::uint64_t value);
std::uint64_t get_u64_be(std::string_view eight_bytes);  // at least eight

void put_varint(std::string& out, std::uint64_t value);
// Reads one at `at` and moves past it; nullopt when truncated or over 64 bits.
std::optional<std::uint64_t> get_varint(std::string_view bytes, std::size_t& at);

// A text behind its length, so that texts can follow one another: every cursor, binding and frame is packed this way.
void put_sized(std::string& out, std::string_view text);
// Reads one at `at` and moves past it; nullopt when truncated.
std::optional<std::string_view> get_sized(std::string_view bytes, std::size_t& at);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view hex);
bool from_hex(std::string_view hex, std::span<unsigned char> bytes);  // false unless it is exactly as many bytes

// A checksum against damage, not against forgery: it tells bytes that a disk or a cable has changed. 64-bit XXH3, chained over
// parts, so that where one part ends matters too. The value is the same on every machine and is stored: never change it.
class Checksum {
 public:
  Checksum& add(std::string_view bytes);
  Checksum& add(std::int64_t number);

  std::uint64_t value() const { return value_; }
  std::uint32_t half() const { return static_cast<std::uint32_t>(value_ ^ value_ >> 32); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace ladder

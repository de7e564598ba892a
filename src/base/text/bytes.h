// Fixed-width and variable-width integers in byte strings: big-endian (memcomparable) and LEB128.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder {

void put_u64_be(std::string& out, std::uint64_t value);
std::uint64_t get_u64_be(std::string_view eight_bytes);  // needs at least eight bytes

void put_varint(std::string& out, std::uint64_t value);
// Reads a varint at `at` and moves past it; nullopt if truncated or over 64 bits.
std::optional<std::uint64_t> get_varint(std::string_view bytes, std::size_t& at);

// Appends a length-prefixed text, so that texts can be concatenated: all cursors, bindings and frames use this format.
void put_sized(std::string& out, std::string_view text);
// Reads one at `at` and moves past it; nullopt if truncated.
std::optional<std::string_view> get_sized(std::string_view bytes, std::size_t& at);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view hex);
bool from_hex(std::string_view hex, std::span<unsigned char> bytes);  // false unless it has exactly that many bytes

// A checksum to detect corruption, not forgery. 64-bit XXH3, chained over parts, so that the boundaries of parts matter
// too. The value is the same on every machine and is stored: never change it.
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

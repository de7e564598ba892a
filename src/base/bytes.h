// Fixed-width and variable-width integers in byte strings: big-endian (memcomparable) and LEB128.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder {

void put_u64_be(std::string& out, std::uint64_t value);
std::uint64_t get_u64_be(std::string_view eight_bytes);  // at least eight

void put_varint(std::string& out, std::uint64_t value);
// Reads one at `at` and moves past it; nullopt when truncated or over 64 bits.
std::optional<std::uint64_t> get_varint(std::string_view bytes, std::size_t& at);

std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view hex);

}  // namespace ladder

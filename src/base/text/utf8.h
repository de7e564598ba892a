// UTF-8: validation, counting and iteration over code points. A character in Ladder is always a Unicode code point
// (design D2). Functions with a `valid` parameter take text that is_valid() accepts; with other bytes they stay in
// bounds but return meaningless results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;

// The byte offset of the first invalid sequence (overlong, surrogate, beyond U+10FFFF, truncated), or npos if all is
// valid.
std::size_t find_invalid(std::string_view bytes);
inline bool is_valid(std::string_view bytes) { return find_invalid(bytes) == std::string_view::npos; }
bool is_ascii(std::string_view bytes);

// Code points in valid text.
std::int64_t count(std::string_view valid);

// The byte offset of the n-th code point of valid text; valid.size() if there are fewer.
std::size_t offset_of(std::string_view valid, std::int64_t n);
// The part of valid text from code point `start`, at most `length` code points.
std::string_view slice(std::string_view valid, std::int64_t start, std::int64_t length);

// Decodes the code point at `at` of valid text and moves `at` past it. at < valid.size().
inline char32_t next(std::string_view valid, std::size_t& at) {
  const auto first = static_cast<unsigned char>(valid[at++]);
  if (first < 0x80) return first;
  char32_t code_point = first < 0xE0 ? first & 0x1F : first < 0xF0 ? first & 0x0F : first & 0x07;
  for (int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3; more > 0 && at < valid.size(); --more, ++at) {
    code_point = code_point << 6 | (static_cast<unsigned char>(valid[at]) & 0x3F);
  }
  return code_point;
}

void append(std::string& out, char32_t code_point);  // a surrogate or out-of-range value becomes U+FFFD
std::u32string decode(std::string_view valid);
std::string encode(std::u32string_view code_points);

}  // namespace ladder::utf8

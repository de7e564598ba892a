// Finding the next byte that matters inside a JSON string, eight bytes at a time. Nothing is read past `end`.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace ladder::json::bytes {

inline constexpr std::uint64_t kLow = 0x0101010101010101;
inline constexpr std::uint64_t kHigh = 0x8080808080808080;

// Eight bytes with the first one lowest, whatever the machine's order.
inline std::uint64_t load(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// Each of these sets the high bit of the bytes sought. A borrow can also mark bytes above a true one, never below: only the
// lowest mark of a word is to be trusted, and it stays right when several are or-ed together.
inline std::uint64_t mark_equal(std::uint64_t word, unsigned char byte) {
  const std::uint64_t difference = word ^ (kLow * byte);
  return (difference - kLow) & ~difference & kHigh;
}
inline std::uint64_t mark_control(std::uint64_t word) { return (word - kLow * 0x20) & ~word & kHigh; }
inline std::uint64_t mark_quote_or_backslash(std::uint64_t word) { return mark_equal(word, '"') | mark_equal(word, '\\'); }

inline const char* first_marked(const char* from, std::uint64_t marks) { return from + (std::countr_zero(marks) >> 3); }

inline bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20; }
inline bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

// The next quote or backslash, or end.
inline const char* find_quote_or_backslash(const char* from, const char* end) {
  for (; end - from >= 8; from += 8) {
    if (const std::uint64_t marks = mark_quote_or_backslash(load(from))) return first_marked(from, marks);
  }
  while (from != end && *from != '"' && *from != '\\') ++from;
  return from;
}

// The next quote, backslash or control, or end: what a writer has to escape.
inline const char* find_escapable(const char* from, const char* end) {
  for (; end - from >= 8; from += 8) {
    const std::uint64_t word = load(from);
    if (const std::uint64_t marks = mark_quote_or_backslash(word) | mark_control(word)) return first_marked(from, marks);
  }
  while (from != end && *from != '"' && *from != '\\' && !is_control(*from)) ++from;
  return from;
}

// The next quote, backslash, control or byte outside ASCII, or end: what a checker has to look at.
inline const char* find_remarkable(const char* from, const char* end) {
  for (; end - from >= 8; from += 8) {
    const std::uint64_t word = load(from);
    const std::uint64_t marks = mark_quote_or_backslash(word) | mark_control(word) | (word & kHigh);
    if (marks != 0) return first_marked(from, marks);
  }
  while (from != end && *from != '"' && *from != '\\' && !is_control(*from) && is_ascii(*from)) ++from;
  return from;
}

}  // namespace ladder::json::bytes

// Finds the next significant byte inside a JSON string: first the block of sixteen bytes that contains it, then the
// word of eight. Never reads past `end`.
#pragma once

#include "base/text/block.h"

#include <cstddef>
#include <cstdint>

namespace ladder::json::bytes {

inline constexpr std::ptrdiff_t kStep = kWordBytes;

// Each of these sets the high bit of the matching bytes. A borrow can also set it in bytes above a match, never below:
// only the lowest mark of a word is reliable, and it remains so when several results are or-ed.
inline std::uint64_t mark_equal(std::uint64_t word, unsigned char byte) { return zero_bytes(word ^ (kEveryByte * byte)); }
inline std::uint64_t mark_control(std::uint64_t word) { return (word - kEveryByte * 0x20) & ~word & kHighBits; }
inline std::uint64_t mark_quote_or_backslash(std::uint64_t word) { return mark_equal(word, '"') | mark_equal(word, '\\'); }

inline const char* first_marked(const char* from, std::uint64_t marks) { return from + first_marked_byte(marks); }

inline bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20; }
inline bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }
inline bool is_escapable(char byte) { return byte == '"' || byte == '\\' || is_control(byte); }

inline auto in_quote_or_backslash(Block block) { return (block == '"') | (block == '\\'); }
inline auto in_control(Block block) { return block < 0x20; }
inline auto in_escapable(Block block) { return in_quote_or_backslash(block) | in_control(block); }
inline auto beyond_ascii(Block block) { return block >= 0x80; }

// The first block with a byte that `has` matches, or the start of the last incomplete block.
template <class Has>
const char* skip_blocks(const char* from, const char* end, Has has) {
  while (end - from >= kBlockBytes && !any_found(has(load_block(from)))) from += kBlockBytes;
  return from;
}

// The next control character or non-ASCII byte, or end.
inline const char* find_unprintable(const char* from, const char* end) {
  from = skip_blocks(from, end, [](Block block) { return in_control(block) | beyond_ascii(block); });
  while (from != end && !is_control(*from) && is_ascii(*from)) ++from;
  return from;
}

// The next quote or backslash, or end.
inline const char* find_quote_or_backslash(const char* from, const char* end) {
  from = skip_blocks(from, end, [](Block block) { return in_quote_or_backslash(block); });
  for (; end - from >= kStep; from += kStep) {
    if (const std::uint64_t marks = mark_quote_or_backslash(load_word(from))) return first_marked(from, marks);
  }
  while (from != end && *from != '"' && *from != '\\') ++from;
  return from;
}

// The next byte that a writer must escape (quote, backslash or control character), or end.
inline const char* find_escapable(const char* from, const char* end) {
  from = skip_blocks(from, end, [](Block block) { return in_escapable(block); });
  for (; end - from >= kStep; from += kStep) {
    const std::uint64_t word = load_word(from);
    if (const std::uint64_t marks = mark_quote_or_backslash(word) | mark_control(word)) return first_marked(from, marks);
  }
  while (from != end && !is_escapable(*from)) ++from;
  return from;
}

// The next byte that a checker must examine (quote, backslash, control character or non-ASCII), or end.
inline const char* find_special(const char* from, const char* end) {
  from = skip_blocks(from, end, [](Block block) { return in_escapable(block) | beyond_ascii(block); });
  for (; end - from >= kStep; from += kStep) {
    const std::uint64_t word = load_word(from);
    const std::uint64_t marks = mark_quote_or_backslash(word) | mark_control(word) | (word & kHighBits);
    if (marks != 0) return first_marked(from, marks);
  }
  while (from != end && !is_escapable(*from) && is_ascii(*from)) ++from;
  return from;
}

}  // namespace ladder::json::bytes

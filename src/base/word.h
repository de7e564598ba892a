// Eight bytes of text in one register: what utf8.cpp and casefold.cpp share. The first byte of text is the lowest of the word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ladder {

inline constexpr std::size_t kWordBytes = 8;
inline constexpr std::uint64_t kEveryByte = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t kHighBits = 0x80 * kEveryByte;

inline std::uint64_t load_word(const char* text) {
  std::uint64_t word;
  std::memcpy(&word, text, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

inline void store_word(char* text, std::uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  std::memcpy(text, &word, sizeof word);
}

// The high bit of each zero byte. Exact up to and including the first of them; bytes above may be reported falsely.
inline std::uint64_t zero_bytes(std::uint64_t word) { return (word - kEveryByte) & ~word & kHighBits; }

inline std::size_t first_marked_byte(std::uint64_t marks) { return static_cast<std::size_t>(std::countr_zero(marks)) / 8; }

}  // namespace ladder

// Eight bytes of text in one register, for utf8.cpp and casefold.cpp. The first byte of text is the lowest byte of the
// word.
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

// Sets the high bit of each zero byte. Exact up to and including the first one; later bytes may be false positives.
inline std::uint64_t zero_bytes(std::uint64_t word) { return (word - kEveryByte) & ~word & kHighBits; }

inline std::size_t first_marked_byte(std::uint64_t marks) { return static_cast<std::size_t>(std::countr_zero(marks)) / 8; }

// Sixteen bytes of text at once; GCC and Clang use one instruction where the processor has it. A comparison of blocks
// sets all bits of the bytes for which it is true.

using Block = unsigned char __attribute__((vector_size(16)));
inline constexpr std::ptrdiff_t kBlockBytes = sizeof(Block);

inline Block load_block(const void* text) {
  Block block;
  std::memcpy(&block, text, sizeof block);
  return block;
}

struct FoundBytes {
  std::uint64_t low, high;  // of the first eight, and of the others
};
template <class Found>
FoundBytes found_bytes(const Found& found) {
  static_assert(sizeof found == sizeof(Block));
  return {load_word(reinterpret_cast<const char*>(&found)), load_word(reinterpret_cast<const char*>(&found) + kWordBytes)};
}

// The first byte for which a comparison is true; kBlockBytes if there is none.
template <class Found>
std::ptrdiff_t first_found(const Found& found) {
  const auto [low, high] = found_bytes(found);
  if (low != 0) return static_cast<std::ptrdiff_t>(first_marked_byte(low));
  return high != 0 ? static_cast<std::ptrdiff_t>(kWordBytes + first_marked_byte(high)) : kBlockBytes;
}

template <class Found>
bool any_found(const Found& found) {
  const auto [low, high] = found_bytes(found);
  return (low | high) != 0;
}

}  // namespace ladder

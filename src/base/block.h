// Sixteen bytes of text at once: what GCC and Clang make one instruction of wherever the processor has one. A comparison of
// blocks sets all bits of the bytes it holds for.
#pragma once

#include "base/word.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ladder {

using Block = unsigned char __attribute__((vector_size(16)));
inline constexpr std::ptrdiff_t kBlockBytes = sizeof(Block);

inline Block load_block(const void* text) {
  Block block;
  std::memcpy(&block, text, sizeof block);
  return block;
}

// The first byte that a comparison held for; kBlockBytes when it held for none.
template <class Found>
std::ptrdiff_t first_found(const Found& found) {
  static_assert(sizeof found == sizeof(Block));
  std::uint64_t words[2];
  std::memcpy(words, &found, sizeof words);
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint64_t& word : words) word = std::byteswap(word);
  }
  if (words[0] != 0) return static_cast<std::ptrdiff_t>(first_marked_byte(words[0]));
  return words[1] != 0 ? static_cast<std::ptrdiff_t>(kWordBytes + first_marked_byte(words[1])) : kBlockBytes;
}

template <class Found>
bool any_found(const Found& found) {
  static_assert(sizeof found == sizeof(Block));
  std::uint64_t words[2];
  std::memcpy(words, &found, sizeof words);
  return (words[0] | words[1]) != 0;
}

}  // namespace ladder

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

struct FoundBytes {
  std::uint64_t low, high;  // of the first eight, and of the others
};
template <class Found>
FoundBytes found_bytes(const Found& found) {
  static_assert(sizeof found == sizeof(Block));
  return {load_word(reinterpret_cast<const char*>(&found)), load_word(reinterpret_cast<const char*>(&found) + kWordBytes)};
}

// The first byte that a comparison held for; kBlockBytes when it held for none.
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

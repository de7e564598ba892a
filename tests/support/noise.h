// Text that a store cannot make much smaller: for tests in which it must take up room. The same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ladder::test_support {

// Letters from A to z and digits, all equally likely: compressed they take three quarters of their size.
inline std::string noise(std::size_t letters, std::uint64_t seed) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ab";
  std::string text;
  text.reserve(letters);
  for (std::uint64_t state = seed * 2 + 1; text.size() < letters;) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    text += kLetters[state >> 58];
  }
  return text;
}

}  // namespace ladder::test_support

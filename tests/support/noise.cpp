#include "support/noise.h"

namespace ladder::test_support {

std::string noise(std::size_t letters, std::uint64_t seed) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ab";
  std::string text(letters, '\0');
  std::uint64_t state = seed * 2 + 1;
  for (char& letter : text) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    letter = kLetters[state >> 58];
  }
  return text;
}

}  // namespace ladder::test_support

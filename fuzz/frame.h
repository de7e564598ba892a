// The interface of every fuzz target: the one function it defines, and how it reports a violated property.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::fuzz {

// Defined once per target. Throws nothing, keeps no state between calls, and its cost is bounded by the size of the
// input.
void run(std::string_view input);

[[noreturn]] void broken(const char* property, const char* file, int line);

// Removes and returns the input up to the next line end, or all of it, so that seeds stay readable.
std::string_view take_line(std::string_view& input);

// Returns the input without the bytes that make it invalid UTF-8.
std::string valid_utf8(std::string_view bytes);

// A copy in a heap block of exactly its size, so that AddressSanitizer catches an out-of-bounds read of one byte.
class Exact {
 public:
  explicit Exact(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

// Random numbers that depend on the input only: a failing input fails again.
class Chance {
 public:
  explicit Chance(std::string_view seed);
  std::size_t below(std::size_t bound);  // bound > 0

 private:
  std::uint64_t state_;
};

// Removes and returns the next bytes of the input: a random number, as from a connection, or all of it without `cuts`.
std::string_view take_piece(std::string_view& input, Chance* cuts);

}  // namespace ladder::fuzz

#define FUZZ_CHECK(property)                                                \
  do {                                                                      \
    if (!(property)) ::ladder::fuzz::broken(#property, __FILE__, __LINE__); \
  } while (false)

// Random JSON text for tests: every script, NUL, all forms of escapes, white space in all places, and sizes around
// every storage limit. The same seed produces the same text.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace ladder::store::testing {

class RandomJson {
 public:
  explicit RandomJson(std::uint64_t seed) : random_(seed) {}

  // An object with a mixture of short and long members. Its names are "m0", "m1", …, some of them escaped.
  std::string record();
  std::string value(int depth, std::int64_t about_bytes);  // of any kind
  std::string string(std::int64_t chars);                  // JSON text, with quotes
  std::string text(std::int64_t chars);                    // plain UTF-8, decoded

  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }

 private:
  enum class Script : std::uint8_t { kAscii, kMixed, kWide, kEmoji };

  char32_t code_point(Script script);
  void append_raw(std::string& out, char32_t code_point);  // in its form inside quotes
  std::string space();
  std::string name(std::int64_t no);
  std::string number();
  std::string container(bool is_object, int depth, std::int64_t about_bytes);

  std::mt19937_64 random_;
};

}  // namespace ladder::store::testing

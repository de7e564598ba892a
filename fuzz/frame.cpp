#include "frame.h"

#include "base/text/utf8.h"

#include <cstdio>
#include <cstdlib>

namespace ladder::fuzz {

void broken(const char* property, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
  std::abort();
}

std::string_view take_line(std::string_view& input) {
  const std::size_t end = input.find('\n');
  const std::string_view line = input.substr(0, end);
  input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  return line;
}

std::string valid_utf8(std::string_view bytes) {
  std::string valid;
  while (!bytes.empty()) {
    const std::size_t bad = utf8::find_invalid(bytes);
    valid += bytes.substr(0, bad);
    if (bad == std::string_view::npos) break;
    bytes.remove_prefix(bad + 1);
  }
  return valid;
}

Chance::Chance(std::string_view seed) : state_(0xcbf29ce484222325) {
  for (const char c : seed) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
}

std::size_t Chance::below(std::size_t bound) {
  state_ = state_ * 6364136223846793005 + 1442695040888963407;
  return static_cast<std::size_t>(state_ >> 33) % bound;
}

std::string_view take_piece(std::string_view& input, Chance* cuts) {
  constexpr std::size_t kMaxBytes = 40;
  const std::string_view piece = input.substr(0, cuts ? 1 + cuts->below(kMaxBytes) : input.size());
  input.remove_prefix(piece.size());
  return piece;
}

}  // namespace ladder::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ladder::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}

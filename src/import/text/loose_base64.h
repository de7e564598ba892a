// Tolerant base64 for mail: ignores line ends and foreign characters, accepts padding in the middle (concatenated texts) and a
// truncated end. Padding ends a group. (base/text/base64.h is strict.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ladder::imports {

class LooseBase64 {
 public:
  // Decodes another piece of the text and returns the number of bytes: at most 3 per 4 characters, plus 3.
  std::size_t decode(std::string_view text, char* out);
  std::size_t finish(char* out);  // writes the rest of an incomplete last group: at most 2 bytes

  static constexpr std::size_t most(std::size_t characters) { return characters / 4 * 3 + 6; }

 private:
  std::size_t end_group(char* out);

  std::uint32_t bits_ = 0;
  int characters_ = 0;  // in the current group
};

// Returns the position where base64 ends and other text follows, such as the footer of a mailing list; the size if nothing
// follows.
std::size_t base64_end(std::string_view text);

}  // namespace ladder::imports

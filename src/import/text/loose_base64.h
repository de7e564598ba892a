// base64 as it stands in mail: lines, strays between them, padding in the middle where two texts were put together, and an end
// that is cut off. Whatever is none of the 64 characters is passed over; padding ends a group. (base/text/base64.h is strict.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ladder::imports {

class LooseBase64 {
 public:
  // The bytes of a further piece of the text; how many they are: at most 3 for each 4 characters, and 3 more.
  std::size_t decode(std::string_view text, char* out);
  std::size_t finish(char* out);  // what a last group without its end still holds: at most 2

  static constexpr std::size_t most(std::size_t characters) { return characters / 4 * 3 + 6; }

 private:
  std::size_t end_group(char* out);

  std::uint32_t bits_ = 0;
  int characters_ = 0;  // of the group that is open
};

// Returns where base64 ends and other text follows it, such as the footer that a mailing list adds; the size when none follows.
std::size_t base64_end(std::string_view text);

}  // namespace ladder::imports

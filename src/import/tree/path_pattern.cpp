#include "import/tree/path_pattern.h"

#include <cstddef>

namespace ladder::imports {

bool matches(std::string_view path, std::string_view pattern) {
  const std::string_view end = pattern.substr(pattern.rfind('*') + 1);  // decides most comparisons
  if (!path.ends_with(end)) return false;
  // After a mismatch, the last star takes one more character.
  std::size_t at = 0, in = 0, star = std::string_view::npos, star_at = 0;
  while (at < path.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      star_at = at;
    } else if (in < pattern.size() && pattern[in] == path[at]) {
      ++in;
      ++at;
    } else if (star != std::string_view::npos) {
      in = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in) == std::string_view::npos;
}

}  // namespace ladder::imports

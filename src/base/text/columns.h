// The width of text on a terminal: East Asian characters and most emoji take two columns, combining marks none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

std::int64_t columns_of(std::string_view valid);  // valid UTF-8, one line

// At most `columns` columns of the text, ending in "…" if it was cut; never cut inside a character and its marks.
std::string cut_to_columns(std::string_view valid, std::int64_t columns);

// Lines of at most `columns` columns, as byte ranges: broken at spaces, which are dropped, next to wide characters, and
// inside a word only if it is longer than a line. At least one line; columns >= 2.
struct LineRange {
  std::size_t begin = 0, end = 0;
};
std::vector<LineRange> wrap_to_columns(std::string_view valid, std::int64_t columns);

}  // namespace ladder

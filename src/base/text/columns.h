// How wide text is on a terminal: East Asian characters and most emoji take two columns, combining marks none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder {

std::int64_t columns_of(std::string_view valid);  // valid UTF-8, one line

// At most so many columns of it, the last of them "…" where it was cut; never inside a character and its marks.
std::string cut_to_columns(std::string_view valid, std::int64_t columns);

// Lines of at most so many columns, as ranges of bytes: broken at spaces, which are then in no line, beside characters of two
// columns, which need no spaces, and elsewhere only where a word is longer than a line. At least one line; columns >= 2.
struct LineRange {
  std::size_t begin = 0, end = 0;
};
std::vector<LineRange> wrap_to_columns(std::string_view valid, std::int64_t columns);

}  // namespace ladder

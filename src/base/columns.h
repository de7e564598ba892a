// How wide text is on a terminal: East Asian characters and most emoji take two columns, combining marks none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder {

std::int64_t columns_of(std::string_view valid);  // valid UTF-8, one line

// At most so many columns of it, the last of them "…" where it was cut; never inside a character and its marks.
std::string cut_to_columns(std::string_view valid, std::int64_t columns);

}  // namespace ladder

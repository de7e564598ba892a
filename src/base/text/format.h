// Text formatting for the whole program. std::format is not in our standard library yet; only this file needs to change
// later.
#pragma once

#include <fmt/format.h>

namespace ladder {
using fmt::format;
}  // namespace ladder

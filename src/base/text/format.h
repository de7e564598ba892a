// Text formatting for the whole program; std::format is not in our standard library yet, so the switch later is this file.
#pragma once

#include <fmt/format.h>

namespace ladder {
using fmt::format;
}  // namespace ladder

// The table of formats. If two formats claim a file with equal confidence, the earlier one gets it.
#pragma once

#include "import/formats/format.h"

#include <span>
#include <string_view>

namespace ladder::imports {

std::span<const Format* const> all_formats();
const Format* find_format(std::string_view name);

}  // namespace ladder::imports

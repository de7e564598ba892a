// Patterns for the paths of entries.
#pragma once

#include <string_view>

namespace ladder::imports {

// Reports whether the complete path matches; `*` stands for any characters, including slashes. Linear in the length of the path
// times that of the longest part between two stars.
bool matches(std::string_view path, std::string_view pattern);

}  // namespace ladder::imports

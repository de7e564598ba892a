// The embedded files declaration.json of the formats.
#pragma once

#include <string_view>

namespace ladder::imports {

// Returns the file in the folder of a format, or "" if there is none.
std::string_view declaration_file(std::string_view format);

}  // namespace ladder::imports

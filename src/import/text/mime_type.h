// MIME types by file name.
#pragma once

#include <string_view>

namespace ladder::imports {

std::string_view mime_type_of(std::string_view path);  // application/octet-stream if the name is unknown
// Returns the type that an export states for a file, or application/octet-stream if the store would reject it.
std::string_view fit_mime_type(std::string_view told);

}  // namespace ladder::imports

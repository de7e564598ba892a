// The MIME type that a file's name suggests.
#pragma once

#include <string_view>

namespace ladder::imports {

std::string_view mime_type_of(std::string_view path);  // application/octet-stream when it suggests none
// The type that an export gives a file, or application/octet-stream when the store would not take it for a type.
std::string_view fit_mime_type(std::string_view told);

}  // namespace ladder::imports

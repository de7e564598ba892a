// The MIME type that a file's name suggests.
#pragma once

#include <string_view>

namespace ladder::imports {

std::string_view mime_type_of(std::string_view path);  // application/octet-stream when it suggests none

}  // namespace ladder::imports

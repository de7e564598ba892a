// Text of two or four bytes a letter (UTF-16, UTF-32), told by its byte order mark: Windows' Notepad, spreadsheets and old
// address books write it.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

bool is_wide(std::string_view bytes);  // begins with such a mark
std::string from_wide(
    std::string_view bytes);  // without the mark; what is no letter becomes U+FFFD, an incomplete end is left out

}  // namespace ladder::imports

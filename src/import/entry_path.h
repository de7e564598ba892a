// The path of an entry as archives write it, made safe or refused.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace ladder::imports {

// Backslashes become "/", "." and empty parts go, names that are not UTF-8 are read as Windows-1252. Refused, with a reason: what
// is absolute, leads outside with "..", holds a NUL, or is too long or too deep. A path that ends with "/" is a folder.
std::expected<std::string, std::string> entry_path(std::string_view raw);

// What operating systems leave in archives and folders, and nobody wrote: __MACOSX/, ._x, .DS_Store, Thumbs.db, desktop.ini.
bool is_clutter(std::string_view path);

}  // namespace ladder::imports

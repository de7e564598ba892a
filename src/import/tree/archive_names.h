// Parses the names of archives, pieces of archives and parts of split exports.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace ladder::imports {

bool is_archive_name(const std::string& name);  // "x.zip", "x.tar.gz", "x.tgz.aa"

// "x.zip.001" → "x.zip": removes the number of a piece that must be concatenated with the others. Other names are unchanged.
std::string without_piece_number(const std::string& name);
// "x.tar.gz" → "x".
std::string without_ending(const std::string& name);
// "takeout-20240101T000000Z-1-002" → "takeout-20240101T000000Z-1": removes the part number of an export made of several
// complete archives.
std::string without_part_number(const std::string& name);

// "takeout-20240101T000000Z-1" → "takeout", "ab12-2024-01-01-12-00-00-cd34" → "ab12": removes what changes with the next
// export. A time stamp must include a time of day: users write plain dates to distinguish their own folders.
std::string without_time_stamp(const std::string& name);

// Makes the path of an archive entry safe, or refuses it.
// Backslashes become "/", "." and empty names are removed, and names that are not UTF-8 are decoded as Windows-1252. Refuses,
// with a reason, paths that are absolute, leave the archive through "..", contain NUL, or are too long or too deep. A path that
// ends with "/" is a folder.
std::expected<std::string, std::string> entry_path(std::string_view raw);

// Recognizes files that operating systems leave in archives and folders: __MACOSX/, ._x, .DS_Store, Thumbs.db, desktop.ini.
bool is_clutter(std::string_view path);

}  // namespace ladder::imports

// Reads the name of an archive: that it is one, a piece of one, or a part of a split export.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace ladder::imports {

bool is_archive_name(const std::string& name);  // "x.zip", "x.tar.gz", "x.tgz.aa"

// "x.zip.001" → "x.zip": pieces that make one file when put after each other. The name itself when it is no such piece.
std::string without_piece_number(const std::string& name);
// "x.tar.gz" → "x".
std::string without_ending(const std::string& name);
// "takeout-20240101T000000Z-1-002" → "takeout-20240101T000000Z-1": archives that are whole by themselves, of one export.
std::string without_part_number(const std::string& name);

// "takeout-20240101T000000Z-1" → "takeout", "ab12-2024-01-01-12-00-00-cd34" → "ab12": what stays the same in the next export.
// Only a date with a time of day is a service's; dates alone people write themselves, to tell folders apart.
std::string without_time_stamp(const std::string& name);

// The path of an entry as archives write it, made safe or refused.

// Backslashes become "/", "." and empty parts go, names that are not UTF-8 are read as Windows-1252. Refused, with a reason: what
// is absolute, leads outside with "..", holds a NUL, or is too long or too deep. A path that ends with "/" is a folder.
std::expected<std::string, std::string> entry_path(std::string_view raw);

// Recognises files that operating systems leave in archives and folders: __MACOSX/, ._x, .DS_Store, Thumbs.db, desktop.ini.
bool is_clutter(std::string_view path);

}  // namespace ladder::imports

// Outside text made into valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

// The encoding is, in this order: a byte order mark's (removed), `charset` if it is a known name and the bytes fit it, UTF-8 if
// they are valid, else Windows-1252 when that gives letters, else UTF-8 with U+FFFD for what is not. Line ends become \n.
// NUL and other controls stay.
std::string to_utf8(std::string_view bytes, std::string_view charset = {});

// The same for a text that is given away: it stays where it is when nothing has to change.
std::string into_utf8(std::string bytes, std::string_view charset = {});

// The same without touching line ends.
std::string to_utf8_raw(std::string_view bytes, std::string_view charset = {});

// Invalid sequences become U+FFFD; nothing else changes.
std::string replace_invalid(std::string_view bytes);

std::string_view trim(std::string_view text);  // spaces, tabs, line ends, U+00A0 and U+FEFF at both ends
std::string lower_ascii(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix);

}  // namespace ladder::imports

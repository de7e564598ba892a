// Small operations on text: trimming, ASCII case, and the repair of invalid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

// Replaces invalid sequences by U+FFFD; changes nothing else.
std::string replace_invalid(std::string_view bytes);

std::string_view trim(std::string_view text);  // spaces, tabs, line ends, U+00A0 and U+FEFF at both ends
std::string lower_ascii(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix);

}  // namespace ladder::imports

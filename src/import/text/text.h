// Small operations on text: trimming, ASCII case, and the repair of invalid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

// Replaces invalid sequences by U+FFFD; changes nothing else.
std::string replace_invalid(std::string_view bytes);

std::string_view trim(std::string_view text);  // spaces, tabs, line ends, U+00A0 and U+FEFF at both ends
std::string lower_ascii(std::string_view text);
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_digits(std::string_view text);                                      // at least one digit, and nothing else
std::string_view first_line(std::string_view text);                         // without its line end
std::string_view without_mark(std::string_view text);                       // without the byte order mark of UTF-8
std::string_view beginning(std::string_view valid, std::size_t max_bytes);  // at most that, cut between two characters
bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix);

}  // namespace ladder::imports

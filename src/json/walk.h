// Steps over checked JSON text: each takes an offset and returns the offset behind what it skipped. On text that was not checked
// they stay inside it and return nonsense.
#pragma once

#include "json/scan.h"

#include <cstddef>
#include <string_view>

namespace ladder::json {

inline std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
  return at;
}

// Past one punctuation mark (or nothing, if it is not there) and the white space on both sides of it.
inline std::size_t skip_mark(std::string_view text, std::size_t at, char mark) {
  at = skip_space(text, at);
  return at < text.size() && text[at] == mark ? skip_space(text, at + 1) : at;
}

Kind kind_at(std::string_view text, std::size_t at);
std::size_t skip_string(std::string_view text, std::size_t at);  // `at` is the opening quote
std::size_t skip_value(std::string_view text, std::size_t at);   // `at` is the first byte of the value

}  // namespace ladder::json

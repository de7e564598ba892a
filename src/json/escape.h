// Reading one escape of a JSON string, shared by the checker, the decoder and the counter of code points.
#pragma once

#include <cstddef>
#include <string_view>

namespace ladder::json {

inline constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
inline constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
inline constexpr bool is_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDFFF; }

struct Escape {
  char32_t code_point = 0;  // a surrogate when its other half is missing
  std::size_t length = 0;   // bytes of raw text, both halves of a pair together; 0 when it is no escape
};

// The escape whose backslash is at `at` (at < raw.size()).
Escape read_escape(std::string_view raw, std::size_t at);

// Code points of a string's raw content once decoded.
std::size_t decoded_length(std::string_view raw);

}  // namespace ladder::json

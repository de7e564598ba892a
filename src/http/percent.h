// Percent decoding of paths and queries: strict, once, and only into valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::http {

enum class Plus : std::uint8_t { kPlus, kSpace };  // what "+" stands for: itself in a path, a space in a query

// nullopt when a % lacks its two hexadecimal digits, or the bytes are not valid UTF-8 or contain a NUL.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

}  // namespace ladder::http

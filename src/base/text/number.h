// Reads numbers from text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace ladder {

// Returns nullopt unless the complete text is a decimal number in the range of the type.
template <class Number = std::int64_t>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace ladder

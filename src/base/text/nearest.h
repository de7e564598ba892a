// Suggestions on a mistyped word.
#pragma once

#include <span>
#include <string_view>

namespace ladder {

// The candidate that differs least from the word; empty if none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ladder

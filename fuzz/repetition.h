// Long texts from short inputs: "<<ab*3>>" expands to "ababab", and "#" in the repeated part to the repetition number.
// It is plain text inside a JSON string, so a tree mutator keeps it intact.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::fuzz {

// Returns at most `most` bytes; malformed or too long repetitions stay unchanged.
std::string expanded(std::string_view input, std::size_t most);

}  // namespace ladder::fuzz

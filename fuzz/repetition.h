// Long texts from short inputs: "<<ab*3>>" stands for "ababab", and a "#" in what is repeated for the number of the repetition.
// It is plain text inside a JSON string, so a mutator of trees keeps it whole.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::fuzz {

// At most `most` bytes come out; what is malformed or would be too long stays as it is.
std::string expanded(std::string_view input, std::size_t most);

}  // namespace ladder::fuzz

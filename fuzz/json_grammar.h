// The grammar of RFC 8259 once more, written as the document writes it, to hold json::check against.
#pragma once

#include <cstddef>
#include <string_view>

namespace ladder::fuzz {

// True if the text is one JSON value with white space around it, nested at most `max_depth`. UTF-8 is not looked at.
bool is_json(std::string_view text, std::size_t max_depth);

}  // namespace ladder::fuzz

// A second implementation of the RFC 8259 grammar, written as in the document, to check json::check against.
#pragma once

#include <cstddef>
#include <string_view>

namespace ladder::fuzz {

// Returns true if the text is one JSON value with optional white space, nested at most `max_depth`. Ignores UTF-8
// validity.
bool is_json(std::string_view text, std::size_t max_depth);

}  // namespace ladder::fuzz

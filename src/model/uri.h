// Absolute URIs, which name sources, publishers and purposes and are compared byte for byte.
#pragma once

#include <string>
#include <string_view>

namespace ladder::model {

// A scheme, a colon and more text, consisting only of characters allowed by RFC 3986 and complete percent escapes.
bool is_absolute_uri(std::string_view text);

// The last non-empty path segment, still percent-encoded; in a path without "/", the text after the last ":".
std::string_view last_path_segment(std::string_view absolute_uri);

}  // namespace ladder::model

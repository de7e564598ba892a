// Absolute URIs, as far as Ladder looks at them: they name sources, publishers and purposes and are compared byte for byte.
#pragma once

#include <string>
#include <string_view>

namespace ladder::model {

// A scheme, a colon and something after it, only of characters that RFC 3986 allows, with whole percent escapes.
bool is_absolute_uri(std::string_view text);

// The last segment of the path that is not empty, still percent-encoded; of a path without "/", what follows its last ":".
std::string_view last_path_segment(std::string_view absolute_uri);

}  // namespace ladder::model

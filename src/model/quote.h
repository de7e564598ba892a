// How messages show a name or value that came from outside: as a JSON string, cut to a bearable length.
#pragma once

#include <string>
#include <string_view>

namespace ladder::model {

// "notes"; at most 80 chars of the text, then an ellipsis. Text that is not UTF-8 is not shown.
std::string in_quotes(std::string_view text);

}  // namespace ladder::model

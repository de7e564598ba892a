// Formats a name or value from outside for messages: as a JSON string of limited length.
#pragma once

#include <string>
#include <string_view>

namespace ladder::model {

// "notes"; at most 80 characters of the text, then an ellipsis. Text that is not UTF-8 is not shown.
std::string in_quotes(std::string_view text);

}  // namespace ladder::model

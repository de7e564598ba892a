// Which file beside a WhatsApp chat a message names.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::whatsapp {

// Without blanks and marks of direction at either end, which nobody sees.
std::string_view without_marks(std::string_view text);

// The name of the file that this line of a message names; "" when it names none. iOS writes "<attached: x.jpg>", alone or behind
// a mark after what is said of the file; Android begins a message with "x.jpg (file attached)"; both in any language.
std::string attachment_in_line(std::string_view line, bool is_first);

// Of the lines of a whole message.
std::string attachment_in(std::string_view text);

}  // namespace ladder::imports::whatsapp

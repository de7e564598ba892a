// Recognises what WhatsApp itself puts into the text of an exported message: marks of direction, notes that it was edited,
// notices of its own.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::whatsapp {

struct Said {
  std::string text;            // without marks and notes
  std::string_view direction;  // "rtl" or "ltr" when marks say so; "" when there are none
  bool is_edited = false;
};

// Of a message as it is written in the file.
Said plain_text(std::string_view written);

// The message begins with the mark (U+200E) that stands before WhatsApp's own words on iOS.
bool is_marked(std::string_view written);

// WhatsApp's own words about the one under whose name iOS writes them: "You added Ada", "Ada left".
bool tells_of(std::string_view written, std::string_view author);

// "Messages and calls are end-to-end encrypted…", in the languages that say it with a word of their own.
bool is_encryption_notice(std::string_view written);

// The file beside a WhatsApp chat that a message names.

// Without blanks and marks of direction at either end, which nobody sees.
std::string_view without_marks(std::string_view text);

// The name of the file that this line of a message names; "" when it names none. iOS writes "<attached: x.jpg>", alone or behind
// a mark after what is said of the file; Android begins a message with "x.jpg (file attached)"; both in any language.
std::string attachment_in_line(std::string_view line, bool is_first);

// Of the lines of a whole message.
std::string attachment_in(std::string_view text);

}  // namespace ladder::imports::whatsapp

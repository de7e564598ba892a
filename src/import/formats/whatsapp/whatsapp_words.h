// Recognizes WhatsApp's own additions to the text of exported messages: direction marks, edit notes, system messages.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::whatsapp {

struct MessageText {
  std::string text;            // without marks and notes
  std::string_view direction;  // "rtl" or "ltr" according to the marks; "" without marks
  bool is_edited = false;
};

// Parses a message as written in the file.
MessageText plain_text(std::string_view written);

// Returns true if the message starts with the mark (U+200E) that iOS writes before WhatsApp's own text.
bool is_marked(std::string_view written);

// Returns true for a system message about `author`, under whose name iOS writes it: "You added Ada", "Ada left".
bool is_about(std::string_view written, std::string_view author);

// Returns true for "Messages and calls are end-to-end encrypted…", in languages with a recognizable word for it.
bool is_encryption_notice(std::string_view written);

// Trims blanks and direction marks, which are invisible.
std::string_view without_marks(std::string_view text);

// Returns the name of the file that this line of a message names; "" if there is none. iOS writes "<attached: x.jpg>", alone or
// after a caption and a mark. Android starts a message with "x.jpg (file attached)". Both are translated.
std::string attachment_in_line(std::string_view line, bool is_first);

// Checks all lines of a message.
std::string attachment_in(std::string_view text);

}  // namespace ladder::imports::whatsapp

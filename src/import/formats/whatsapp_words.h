// What WhatsApp itself puts into the text of an exported message: marks of direction, notes that it was edited, notices of its
// own.
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

}  // namespace ladder::imports::whatsapp

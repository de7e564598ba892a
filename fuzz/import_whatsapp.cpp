// Chats: the input is the text file. Every message fits the declaration and is at its reported offset; a second read,
// also from a checkpoint, gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::whatsapp_format());
  check.run("_chat.txt", input);
}

}  // namespace ladder::fuzz

// ChatGPT's conversations: any bytes as conversations.json. The reader reaches the end; every record fits the
// declaration; a second read, also from any checkpoint, gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::chatgpt_format());
  check.run("conversations.json", input);
}

}  // namespace ladder::fuzz

// Claude's export: any bytes as conversations.json, as projects.json and as the file of one project. The reader reaches
// the end; every record fits the declaration; a second read, also from any checkpoint, gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::claude_format());
  for (const char* name : {"conversations.json", "projects.json", "projects/a.json"}) check.run(name, input);
}

}  // namespace ladder::fuzz

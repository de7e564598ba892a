// Notes: the first line of the input is the file's name (a.md, a.txt, a.html, a.pdf), the rest the file. Any file is
// one note that fits the declaration; a second read gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  const std::string_view name = take_line(input);
  static const FormatCheck check(imports::notes_format());
  check.run(name.empty() ? "a.md" : std::string(name), input);
}

}  // namespace ladder::fuzz

// Flat exports: the first line is the path of a file, such as that of a list of connections, the rest the file. Every flat format
// that claims it reads it: the reader reaches the end; every record fits the declaration; a second read, also from any
// checkpoint, gives the same.
#include "frame.h"
#include "import/formats/flat/flat.h"
#include "import_files.h"

#include <deque>

namespace ladder::fuzz {

void run(std::string_view input) {
  static const auto checks = [] {
    std::deque<FormatCheck> all;
    for (const imports::Format* format : imports::flat_formats()) all.emplace_back(*format);
    return all;
  }();
  const std::string path(take_line(input));
  for (const FormatCheck& check : checks) check.run(path, input);
}

}  // namespace ladder::fuzz

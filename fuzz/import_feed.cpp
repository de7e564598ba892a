// The format feed: the first line of the input is the file's name, the rest the file. Any file is read without a crash, its
// records fit the declaration, and reading it again from every checkpoint gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  const std::string_view name = take_line(input);
  static const FormatCheck check(imports::feed_format());
  check.run(std::string(name), input);
}

}  // namespace ladder::fuzz

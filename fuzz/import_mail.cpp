// Mailboxes: the first line of the input is the file's name (a.mbox, cur/1:2,S, a.eml), the rest the file. The reader
// reaches the end; every record fits the declaration; a second read, also from a checkpoint, gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  const std::string_view name = take_line(input);
  static const FormatCheck check(imports::mail_format());
  check.run(name == "" ? "a.mbox" : std::string(name), input);
}

}  // namespace ladder::fuzz

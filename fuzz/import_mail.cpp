// Mailboxes: the first line of the input is the file's name (a.mbox, cur/1:2,S, a.eml), the rest the file. Whatever it holds, it
// is read to its end; every record fits the declaration; reading again, and going on from a checkpoint, gives the same.
#include "frame.h"
#include "import_files.h"

// GMime itself loses a few bytes on rare malformed headers (four times 16 in 60,000 inputs); the child that reads mail is
// short-lived.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier): the sanitizer's own name
  return "leak:libglib-2.0.so\nleak:libgmime-3.0.so\n";
}

namespace ladder::fuzz {

void run(std::string_view input) {
  const std::string_view name = take_line(input);
  static const FormatCheck check(imports::mail_format());
  check.run(name == "" ? "a.mbox" : std::string(name), input);
}

}  // namespace ladder::fuzz

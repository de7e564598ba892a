// Calendars: any bytes as an .ics file. The reader reaches the end; every record fits the declaration; a second read
// gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::calendar_format());
  check.run("a.ics", input);
}

}  // namespace ladder::fuzz

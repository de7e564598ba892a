// Address books: any bytes as a .vcf file. The reader reaches the end; every record fits the declaration; a second read
// gives the same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::contacts_format());
  check.run("a.vcf", input);
}

}  // namespace ladder::fuzz

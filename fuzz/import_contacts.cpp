// Address books: any bytes as a .vcf file. It is read to its end; every record fits the declaration; reading again gives the
// same.
#include "frame.h"
#include "import_files.h"

namespace ladder::fuzz {

void run(std::string_view input) {
  static const FormatCheck check(imports::contacts_format());
  check.run("a.vcf", input);
}

}  // namespace ladder::fuzz

// Embeds the declarations of the formats: declaration.json in the folder of each format.
#include "import/formats/declaration_files.h"

#include "base/embedded_file.h"
#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/formats/format_list.h"

#include <algorithm>
#include <array>

#define LADDER_NOTHING(format)
#define LADDER_EACH_DECLARATION(use) LADDER_EACH_FORMAT(use, LADDER_NOTHING) use(chats)

#define LADDER_DECLARATION(format) LADDER_EMBED(ladder_declaration_##format, LADDER_FORMATS "/" #format "/declaration.json")
LADDER_EACH_DECLARATION(LADDER_DECLARATION)

namespace ladder::imports {
namespace {

struct DeclarationFile {
  std::string_view format;
  const char *begin, *end;
};

#define LADDER_ROW(format) DeclarationFile{#format, ladder_declaration_##format##_begin, ladder_declaration_##format##_end},
const std::array kFiles = {LADDER_EACH_DECLARATION(LADDER_ROW)};
#undef LADDER_ROW

}  // namespace

std::string_view declaration_file(std::string_view format) {
  const auto found = std::ranges::find(kFiles, format, &DeclarationFile::format);
  if (found == kFiles.end()) return {};
  std::string_view text(found->begin, found->end);
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

Result<std::string> Format::declaration(const Request& /*request*/) const {
  const std::string_view file = declaration_file(name());
  if (file.empty()) return fail(Code::kInternal, format("the format {} has no declaration", name()));
  return std::string(file);
}

}  // namespace ladder::imports

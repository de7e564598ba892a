// Embeds the declarations of the formats: declaration.json in the folder of each format.
#include "base/embedded_file.h"
#include "base/text/format.h"
#include "import/formats/format.h"

#include <algorithm>
#include <array>

#define LADDER_EACH_DECLARATION(use) \
  use(calendar) use(chatgpt) use(claude) use(contacts) use(mail) use(notes) use(slack) use(whatsapp)

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

}  // namespace

Result<std::string> Format::declaration(const Request& /*request*/) const {
  const auto found = std::ranges::find(kFiles, name(), &DeclarationFile::format);
  if (found == kFiles.end()) return fail(Code::kInternal, format("the format {} has no declaration", name()));
  std::string_view text(found->begin, found->end);
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace ladder::imports

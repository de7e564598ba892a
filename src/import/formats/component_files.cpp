#include "import/formats/component_files.h"

#include "base/text/format.h"
#include "import/tree/text_file.h"

namespace ladder::imports {

Result<bool> each_component(Tree& tree, EntryNo entry, std::string_view container, std::string_view stream, Sink* sink,
                            const std::function<Status(const Components&)>& use) {
  const std::string& path = tree.entries()[entry].path;
  const auto opened = open_text(tree, entry);
  if (!opened) {
    if (sink) LADDER_CHECK(sink->lost({path, -1}, opened.error().message));
    return false;
  }
  if (sink) LADDER_CHECK(report_guess(opened->guessed, stream, *sink));
  Components components(*opened->bytes, container, opened->charset);
  for (std::int64_t reached = 0;;) {
    const Result<bool> more = components.next();
    if (!more) {
      if (sink)
        LADDER_CHECK(sink->lost({path, reached}, format("the rest of the file cannot be read: {}", more.error().message)));
      return false;
    }
    if (!*more) return true;
    reached = components.component().offset;
    LADDER_CHECK(use(components));
  }
}

}  // namespace ladder::imports

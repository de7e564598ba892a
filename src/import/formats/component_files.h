// Reads files of components: calendars and address books.
#pragma once

#include "import/formats/content_lines.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"

#include <functional>
#include <string_view>

namespace ladder::imports {

// Calls `use` for every component of the file. Returns false if the file, or the rest of it, cannot be read; that is reported to
// `sink`, unless it is null. `container` and `stream`: see Components and report_guess().
Result<bool> each_component(Tree& tree, EntryNo entry, std::string_view container, std::string_view stream, Sink* sink,
                            const std::function<Status(const Components&)>& use);

}  // namespace ladder::imports

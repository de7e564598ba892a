// My Activity and the history of YouTube as HTML, which Google writes unless the owner chooses JSON.
#pragma once

#include "import/io/sink.h"
#include "import/tree/tree.h"

namespace ladder::imports::google {

// Returns true if the file is such a page. Reads up to half a megabyte, because the page begins with a long stylesheet.
bool is_activity_page(Tree& tree, EntryNo entry);

Status send_activity_page(Tree& tree, EntryNo entry, Sink& sink);

}  // namespace ladder::imports::google

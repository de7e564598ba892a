// Posts and comments as HTML, the default of Meta's downloads.
#pragma once

#include "import/formats/posts/posts_record.h"

#include <string>

namespace ladder::imports::posts {

bool is_page(Tree& tree, EntryNo entry);
Status read_page(Tree& tree, EntryNo entry, const std::string& kind, PostSender& sender, Sink& sink);

}  // namespace ladder::imports::posts

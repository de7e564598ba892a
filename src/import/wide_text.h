// Text of two or four bytes a letter (UTF-16, UTF-32), told by its byte order mark: Windows' Notepad, spreadsheets and old
// address books write it. What reads bytes opens its file here and sees UTF-8.
#pragma once

#include "base/result.h"
#include "import/tree.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::imports {

bool is_wide(std::string_view bytes);  // begins with such a mark
std::string from_wide(
    std::string_view bytes);  // without the mark; what is no letter becomes U+FFFD, an incomplete end is left out

// The entry's bytes from this offset on, as Tree::open; a wide one is taken whole (kMaxTextBytes) and made into UTF-8, and
// offsets count that.
Result<std::unique_ptr<Bytes>> open_text(Tree& tree, EntryNo entry, std::int64_t from = 0);

// Tree::head as UTF-8 without a mark, as far as it is wide.
std::string text_head(Tree& tree, EntryNo entry);

}  // namespace ladder::imports

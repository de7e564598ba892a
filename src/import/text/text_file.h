// Text files of any encoding. What can be split into pieces by its ASCII bytes (lines, cells) is opened as it lies, and each
// piece is read in the file's charset: offsets stay those of the file. What cannot (UTF-16, UTF-32, ISO-2022, UTF-7) is taken
// whole (limits::kMaxTextBytes), and offsets count it as UTF-8.
#pragma once

#include "base/error/error.h"
#include "import/child/sink.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::imports {

struct TextFile {
  std::unique_ptr<Bytes> bytes;
  std::string charset;  // what pieces of it are to be read in (to_utf8_raw); "" for UTF-8
  std::string guessed;  // the encoding, when it was told from the bytes alone; "" otherwise
};

// The encoding is the tree's (--encoding), a byte order mark's, UTF-8, or a guess over the file's first megabytes.
Result<TextFile> open_text(Tree& tree, EntryNo entry);

// All of it as UTF-8, for JSON: a file in another encoding is taken whole.
Result<std::unique_ptr<Bytes>> open_utf8(Tree& tree, EntryNo entry);

// Tree::head as UTF-8 without a mark, as far as the encoding is known without looking further.
std::string text_head(Tree& tree, EntryNo entry);

// Says in the account that a file's encoding is a guess; "" is none.
Status tell_guess(std::string_view guessed, std::string_view stream, Sink& sink);

// Text of two or four bytes a letter (UTF-16, UTF-32), told by its byte order mark: Windows' Notepad, spreadsheets and old
// address books write it.
bool is_wide(std::string_view bytes);  // begins with such a mark
std::string from_wide(
    std::string_view bytes);  // without the mark; what is no letter becomes U+FFFD, an incomplete end is left out

}  // namespace ladder::imports

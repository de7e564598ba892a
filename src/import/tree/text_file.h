// Text files in any encoding. A file that can be split at ASCII bytes (lines, cells) is opened as is and decoded piece by
// piece, so offsets refer to the file. Other encodings (UTF-16, UTF-32, ISO-2022, UTF-7) are decoded completely
// (limits::kMaxTextBytes), and offsets refer to the UTF-8 text.
#pragma once

#include "base/error/error.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::imports {

struct TextFile {
  std::unique_ptr<Bytes> bytes;
  std::string charset;  // for decoding the pieces (to_utf8_raw); "" for UTF-8
  std::string guessed;  // the encoding, if it was detected; "" otherwise
};

// Uses the encoding of the tree (--encoding), of a byte order mark, UTF-8, or one detected in the file's first megabytes.
Result<TextFile> open_text(Tree& tree, EntryNo entry);

// Opens the whole file as UTF-8, for JSON: a file in another encoding is decoded in memory.
Result<std::unique_ptr<Bytes>> open_utf8(Tree& tree, EntryNo entry);

// Returns Tree::head as UTF-8 without a byte order mark, if the encoding is known without reading further.
std::string text_head(Tree& tree, EntryNo entry);

// Reports that a file's encoding was detected; does nothing for "".
Status report_guess(std::string_view guessed, std::string_view stream, Sink& sink);

}  // namespace ladder::imports

// Names known exports that no format reads, so that the owner learns what a file is and what to do with it. Only files that no
// format has claimed are compared; the pages of some exports are compared as well, because the notes format claims every .html.
#pragma once

#include "import/tree/tree.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace ladder::imports {

struct Signature {
  std::string_view what;  // a noun phrase: "a Telegram export"
  // The path in lower case with a slash in front; `*` stands for any characters, including slashes.
  std::string_view path;
  std::array<std::string_view, 2> has = {};  // texts in the first kHeadBytes bytes; "" is always there
  enum class Kind : std::uint8_t {
    kUnread,  // Ladder does not read it yet
    kRead,    // Ladder reads its pages as notes, which loses dates, authors and replies
    kNever,   // Ladder does not read it, on purpose
  };
  Kind kind = Kind::kUnread;
  std::string_view remedy;  // what to do, as the end of a sentence
};

std::span<const Signature> all_signatures();

// Returns the signature of the entry, or nullptr. `is_claimed`: a format reads it, so only Kind::kRead is compared.
const Signature* recognize(Tree& tree, EntryNo entry, bool is_claimed = false);

// "This is a Telegram export. Ladder does not read it yet; export the chats again as …"
std::string sentence(const Signature& signature);

}  // namespace ladder::imports

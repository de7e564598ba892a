// Owner text is data, not orders (design D13): it stands between two lines whose key its author cannot know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::mcp {

struct Fenced {
  std::string block;         // the opening line, the text, the closing line; no newline at the end
  std::int64_t escaped = 0;  // chars shown as ⟦U+XXXX⟧
};

// `binding` tells what is shown: the same text of the same place gives the same block.
Fenced fence(std::string_view text, std::string_view secret, std::string_view binding);

// Appends the text with what is deceptive as ⟦U+XXXX⟧ and a literal "⟦U+" as ⟦U+27E6⟧U+; how many were.
std::int64_t append_shown(std::string& out, std::string_view text);

}  // namespace ladder::mcp

// Owner text made safe for a terminal (design D13): what could move the cursor, change colours or reorder what is read is shown
// as ⟦U+XXXX⟧; everything else stays as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::cli {

struct VisibleText {
  std::string text;
  std::int64_t escaped = 0;  // how many characters are shown as codes
};

// Bidi overrides and isolates, tag characters, C0 and C1 controls but tab and newline; a literal "⟦U+" becomes "⟦U+27E6⟧U+".
// Bytes that are no UTF-8 (a command line may hold some) become U+FFFD.
VisibleText visible_text(std::string_view text);

// The same for a label in one line: tab and newline are shown as codes too.
std::string visible_label(std::string_view text);

// Text as one word of a shell command, quoted only where it must be.
std::string shell_word(std::string_view text);

}  // namespace ladder::cli

// Makes owner text safe for a terminal (design D13): characters that could move the cursor, change colors or reorder text are
// shown as ⟦U+XXXX⟧; all other text is unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder {

struct VisibleText {
  std::string text;
  std::int64_t escaped = 0;  // number of characters shown as codes
};

// Escapes bidi overrides and isolates, tag characters, and C0 and C1 controls except tab and newline; a literal "⟦U+" becomes
// "⟦U+27E6⟧U+". Invalid UTF-8, which a command line may contain, becomes U+FFFD.
VisibleText visible_text(std::string_view text);

// Escapes tab and newline as well, for a label on one line.
std::string visible_label(std::string_view text);

// Quotes text as one shell word if needed.
std::string shell_word(std::string_view text);
// Quotes each as needed, with a space before each.
std::string shell_words(std::span<const std::string> words);

}  // namespace ladder

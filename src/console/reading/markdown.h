// A safe subset of Markdown as HTML: headings, paragraphs, lists with tasks, quotes, code, tables, rules, emphasis and links.
// Everything else, such as HTML in the text, is shown as it is written. Images are named, never loaded. Line breaks are kept.
// Nesting is limited, and the time is proportional to the length of the text.
#pragma once

#include "console/reading/matches.h"
#include "html/html.h"

#include <string>
#include <string_view>

namespace ladder::console {

inline constexpr int kMaxMarkdownNesting = 8;  // deeper lists and quotes are shown as text

html::Writer markdown(std::string_view text, Matches::In& matches);

// The words without marks, for a list that shows the title as well; the title is not repeated.
std::string markdown_preview(std::string_view text, std::string_view title);

// The text of a paragraph. `text` is a slice of the text of `matches`.
html::Writer markdown_inline(std::string_view text, Matches::In& matches);

}  // namespace ladder::console

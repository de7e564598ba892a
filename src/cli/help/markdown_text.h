// Renders the Markdown of the documentation as text for a terminal: wrapped paragraphs and lists, aligned tables, code as it is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ladder::cli {

struct MarkdownStyle {
  std::size_t columns = 80;
  std::function<std::string(std::string_view)> heading;  // makes a heading or the head of a table stand out
  // Returns the text that replaces a link, by its text and target. The text is empty for a link that stands alone in parentheses.
  std::function<std::string(std::string_view text, std::string_view target)> link;
};

std::string markdown_text(std::string_view markdown, const MarkdownStyle& style);

}  // namespace ladder::cli

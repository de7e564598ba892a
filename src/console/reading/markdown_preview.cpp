// The first words of a note without the marks of Markdown, for lists.
#include "console/reading/markdown.h"
#include "http/message/message.h"

#include <algorithm>
#include <utility>

namespace ladder::console {
namespace {

// Rules, and the line under the head of a table.
bool is_drawn(std::string_view line) { return line.find_first_not_of("-=*_|:+ \t") == std::string_view::npos; }

std::string_view without_marker(std::string_view line) {
  const auto drop = [&](std::string_view marker) {
    if (!line.starts_with(marker)) return false;
    line = http::trimmed(line.substr(marker.size()));
    return true;
  };
  while (drop(">") || drop("#")) {
  }
  if (drop("- ") || drop("* ") || drop("+ ")) {
    for (const std::string_view box : {"[ ] ", "[x] ", "[X] "}) {
      if (drop(box)) break;
    }
  }
  return line;
}

// Writes a link or an image as its label, and returns the number of bytes that it took; 0 if there is none.
std::size_t link_at(std::string_view text, std::string& out) {
  const std::size_t open = text.starts_with("![") ? 2 : text.starts_with('[') ? 1 : 0;
  const std::size_t middle = open == 0 ? std::string_view::npos : text.find("](", open);
  const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
  if (end == std::string_view::npos) return 0;
  out += text.substr(open, middle - open);
  return end + 1;
}

void append_words(std::string& out, std::string_view line) {
  while (!line.empty()) {
    if (const std::size_t link = link_at(line, out); link > 0) {
      line.remove_prefix(link);
    } else if (line.starts_with("**") || line.starts_with("__") || line.starts_with("~~")) {
      line.remove_prefix(2);
    } else {
      if (line.front() == '|') out += ' ';
      else if (line.front() != '`') out += line.front();
      line.remove_prefix(1);
    }
  }
}

}  // namespace

std::string markdown_preview(std::string_view text, std::string_view title) {
  std::string out;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_marker(http::trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_drawn(line) || (std::exchange(is_first, false) && line == title)) continue;
    if (!out.empty()) out += '\n';
    append_words(out, line);
  }
  return out;
}

}  // namespace ladder::console

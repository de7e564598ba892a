#include "cli/help/markdown_text.h"

#include "base/text/columns.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace ladder::cli {
namespace {

constexpr std::size_t kMinColumns = 20;     // narrower text is cut into single words
constexpr std::int64_t kWidestColumn = 34;  // of a table, except for the last one

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Returns the length of the mark of a list item ("- ", "1. "), or 0.
std::size_t item_mark(std::string_view line) {
  if (line.starts_with("- ")) return 2;
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

class Renderer {
 public:
  explicit Renderer(const MarkdownStyle& style) : style_(style), width_(std::max(style.columns, kMinColumns)) {}

  std::string render(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = std::min(markdown.find('\n'), markdown.size());
      line(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    flush();
    while (out_.ends_with("\n\n")) out_.pop_back();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with("```")) {
      flush();
      in_code_ = !in_code_;
    } else if (in_code_) {
      out_ += text.empty() ? "\n" : "    " + std::string(text) + "\n";
    } else if (text.starts_with('|')) {
      if (rows_.empty()) flush();
      row(text);
    } else if (trimmed(text).empty()) {
      flush();
      if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
    } else if (text.starts_with('#')) {
      flush();
      out_ += heading(inline_text(trimmed(text.substr(text.find_first_not_of('#'))))) + "\n";
    } else if (text.starts_with("    ") && mark_.empty() && paragraph_.empty()) {
      out_ += std::string(text) + "\n";
    } else if (text.starts_with("<!--") || text.starts_with("![")) {
      flush();
    } else if (const std::size_t mark = item_mark(text); mark > 0) {
      flush();
      mark_ = text.substr(0, mark);
      paragraph_ = text.substr(mark);
    } else {
      if (!rows_.empty()) flush();
      paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(trimmed(text));
    }
  }

  void row(std::string_view text) {
    std::vector<std::string> cells(1);
    text = trimmed(text);
    text.remove_prefix(1);
    if (text.ends_with('|')) text.remove_suffix(1);
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text.substr(at).starts_with("\\|")) cells.back() += text[++at];
      else if (text[at] == '|') cells.emplace_back();
      else cells.back() += text[at];
    }
    const bool is_rule = std::ranges::all_of(cells, [](const std::string& cell) {
      return !trimmed(cell).empty() && trimmed(cell).find_first_not_of("-:") == std::string_view::npos;
    });
    if (is_rule) return;
    for (std::string& cell : cells) cell = inline_text(trimmed(cell));
    rows_.push_back(std::move(cells));
  }

  void flush() {
    if (!paragraph_.empty()) wrapped(mark_, inline_text(paragraph_), mark_.size());
    paragraph_.clear();
    mark_.clear();
    if (!rows_.empty()) table();
    rows_.clear();
  }

  void table() {
    std::vector<std::int64_t> widths(rows_.front().size());
    for (std::vector<std::string>& row : rows_) {
      row.resize(widths.size());
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
    }
    const std::int64_t all = std::accumulate(widths.begin(), widths.end(), static_cast<std::int64_t>(2 * (widths.size() - 1)));
    if (all > static_cast<std::int64_t>(width_))
      for (std::int64_t& width : widths) width = std::min(width, kWidestColumn);
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      if (n == 0 && std::ranges::all_of(rows_[0], &std::string::empty)) continue;
      std::string front;
      for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const std::int64_t pad = widths[i] + 2 - columns_of(rows_[n][i]);
        front += rows_[n][i] + std::string(static_cast<std::size_t>(std::max<std::int64_t>(pad, 2)), ' ');
      }
      std::size_t indent = 0;
      for (std::size_t i = 0; i + 1 < widths.size(); ++i) indent += static_cast<std::size_t>(widths[i]) + 2;
      if (n == 0) out_ += heading(trimmed(front + rows_[n].back())) + "\n";
      else wrapped(front, rows_[n].back(), indent);
    }
  }

  // Writes the text after `front`; later lines are indented. A front that is longer than the indent gets its own line.
  void wrapped(std::string_view front, std::string_view text, std::size_t indent) {
    if (indent + kMinColumns > width_) indent = 2;
    const bool fits = columns_of(front) <= static_cast<std::int64_t>(indent);
    if (!fits) out_ += std::string(trimmed(front)) + "\n";
    bool is_first = fits;
    for (const LineRange& part : wrap_to_columns(text, static_cast<std::int64_t>(width_ - indent))) {
      if (part.begin == part.end && !is_first) continue;
      std::string line = is_first ? std::string(front) : std::string(indent, ' ');
      line += text.substr(part.begin, part.end - part.begin);
      while (line.ends_with(' ')) line.pop_back();
      out_ += line + "\n";
      is_first = false;
    }
  }

  std::string heading(std::string_view text) const { return style_.heading ? style_.heading(text) : std::string(text); }

  // Replaces links, and drops the marks of emphasis outside code.
  std::string inline_text(std::string_view text) const {
    std::string out;
    bool in_code = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t middle = text[at] == '[' && !in_code ? text.find("](", at) : std::string_view::npos;
      const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
      if (end != std::string_view::npos && text.substr(at + 1, middle - at - 1).find('[') == std::string_view::npos) {
        const std::string label = inline_text(text.substr(at + 1, middle - at - 1));
        const std::string_view target = text.substr(middle + 2, end - middle - 2);
        const bool is_aside = out.ends_with('(') && text.substr(end + 1).starts_with(')');
        out += style_.link ? style_.link(is_aside ? "" : label, target) : label;
        at = end;
      } else if (text[at] == '*' && !in_code) {
        continue;
      } else {
        if (text[at] == '`') in_code = !in_code;
        out += text[at];
      }
    }
    return out;
  }

  const MarkdownStyle& style_;
  std::size_t width_;
  std::string out_, paragraph_, mark_;
  std::vector<std::vector<std::string>> rows_;
  bool in_code_ = false;
};

}  // namespace

std::string markdown_text(std::string_view markdown, const MarkdownStyle& style) { return Renderer(style).render(markdown); }

}  // namespace ladder::cli

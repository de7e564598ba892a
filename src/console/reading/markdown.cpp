#include "console/reading/markdown.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace ladder::console {
namespace {

using html::Markup;
using html::Text;
using html::Writer;

using Lines = std::vector<std::string_view>;  // slices of the text, without line feeds

constexpr std::size_t kTab = 4;
constexpr std::size_t kMaxCells = 30;  // of a table row

Lines lines_of(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t feed = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, feed - at);
    lines.push_back(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
    at = feed + 1;
  }
  return lines;
}

// Returns whether the first letter is of a script that is written from right to left, such as Hebrew and Arabic. A list or table
// cannot use dir="auto", which skips elements with a direction of their own.
bool reads_right_to_left(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const char32_t c = utf8::next(line, at);
    if ((c >= 0x590 && c <= 0x8FF) || (c >= 0xFB1D && c <= 0xFDFF) || (c >= 0xFE70 && c <= 0xFEFF)) return true;
    if ((c | 0x20U) - U'a' < 26 || c >= 0xAA) return false;
  }
  return false;
}

std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c != ' ' && c != '\t') break;
    columns += c == '\t' ? kTab : 1;
  }
  return columns;
}

// Removes up to so many columns of white space.
std::string_view without_indent(std::string_view line, std::size_t columns) {
  while (columns > 0 && !line.empty() && (line.front() == ' ' || line.front() == '\t')) {
    columns -= std::min(columns, line.front() == '\t' ? kTab : 1);
    line.remove_prefix(1);
  }
  return line;
}

std::string_view bare(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first, line.find_last_not_of(" \t") + 1 - first);
}

bool is_blank(std::string_view line) { return bare(line).empty(); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The level of "## Heading", or 0.
std::size_t heading_level(std::string_view line) {
  const std::string_view words = bare(line);
  const std::size_t level = std::min(words.find_first_not_of('#'), words.size());
  return level >= 1 && level <= 6 && indent_of(line) < kTab && level < words.size() && words[level] == ' ' ? level : 0;
}

bool is_rule(std::string_view line) {
  const std::string_view words = bare(line);
  if (words.size() < 3 || std::string_view("-*_").find(words.front()) == std::string_view::npos) return false;
  return std::ranges::count(words, words.front()) >= 3 &&
         words.find_first_not_of(std::string{words.front(), ' '}) == std::string_view::npos;
}

// The fence of a code block, "```" or "~~~" or longer.
std::string_view fence_of(std::string_view line) {
  const std::string_view words = bare(line);
  if (!words.starts_with("```") && !words.starts_with("~~~")) return {};
  const std::string_view fence = words.substr(0, std::min(words.find_first_not_of(words.front()), words.size()));
  return words.substr(fence.size()).find('`') == std::string_view::npos ? fence : std::string_view();
}

struct Marker {
  bool ordered = false;
  std::size_t columns = 0;  // up to the text of the item
};

// "- item", "* item", "+ item", "1. item" or "1) item".
std::optional<Marker> marker_of(std::string_view line) {
  const std::size_t indent = indent_of(line);
  const std::string_view words = bare(line);
  if (words.empty() || is_rule(line)) return std::nullopt;
  std::size_t length = 0;
  if (std::string_view("-*+").find(words.front()) != std::string_view::npos) {
    length = 1;
  } else {
    while (length < words.size() && length < 9 && is_digit(words[length])) ++length;
    if (length == 0 || length >= words.size() || (words[length] != '.' && words[length] != ')')) return std::nullopt;
    ++length;
  }
  if (length < words.size() && words[length] != ' ' && words[length] != '\t') return std::nullopt;
  return Marker{is_digit(words.front()), indent + length + 1};
}

bool is_quote(std::string_view line) { return indent_of(line) < kTab && bare(line).starts_with('>'); }

// The cells of "| a | b |".
Lines cells_of(std::string_view line) {
  std::string_view row = bare(line);
  if (row.starts_with('|')) row.remove_prefix(1);
  if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
  Lines cells;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= row.size() && cells.size() < kMaxCells; ++at) {
    if (at < row.size() && (row[at] != '|' || (at > 0 && row[at - 1] == '\\'))) continue;
    cells.push_back(bare(row.substr(begin, at - begin)));
    begin = at + 1;
  }
  return cells;
}

// The line below the heads of a table: "|---|:--:|".
bool is_delimiter(std::string_view line) {
  const std::string_view row = bare(line);
  return row.find('|') != std::string_view::npos && row.find("--") != std::string_view::npos &&
         row.find_first_not_of("|:- \t") == std::string_view::npos;
}

class Blocks {
 public:
  explicit Blocks(Matches::In& matches) : matches_(matches) {}

  Writer write(const Lines& lines, int depth) {
    Writer out;
    for (auto at = lines.begin(); at != lines.end();) {
      if (is_blank(*at)) ++at;
      else out << block(at, lines.end(), depth);
    }
    return out;
  }

 private:
  using At = Lines::const_iterator;

  Writer block(At& at, At end, int depth) {
    if (heading_level(*at) > 0) return heading(at);
    if (!fence_of(*at).empty()) return fenced(at, end);
    if (is_rule(*at)) {
      ++at;
      Writer out;
      out << Markup("<hr class=\"rule\">");
      return out;
    }
    if (is_quote(*at) && depth < kMaxMarkdownNesting) return quote(at, end, depth);
    if (marker_of(*at) && depth < kMaxMarkdownNesting) return list(at, end, depth);
    if (at + 1 != end && at->find('|') != std::string_view::npos && is_delimiter(at[1])) return table(at, end);
    if (indent_of(*at) >= kTab) return indented(at, end);
    return paragraph(at, end, depth);
  }

  // Headings never skip a level, so that the outline of the page stays correct.
  Writer heading(At& at) {
    const std::size_t level = heading_level(*at);
    std::string_view words = bare(bare(*at).substr(level));
    if (const std::size_t close = words.find_last_not_of('#');
        close != std::string_view::npos && close + 1 < words.size() && words[close] == ' ')
      words = bare(words.substr(0, close));
    ++at;
    shown_level_ = std::min({level + 1, shown_level_ + 1, std::size_t{6}});
    static constexpr std::array<Markup, 5> kOpen = {"<h2 dir=\"auto\">", "<h3 dir=\"auto\">", "<h4 dir=\"auto\">",
                                                    "<h5 dir=\"auto\">", "<h6 dir=\"auto\">"};
    static constexpr std::array<Markup, 5> kClose = {"</h2>", "</h3>", "</h4>", "</h5>", "</h6>"};
    Writer out;
    out << kOpen[shown_level_ - 2] << markdown_inline(words, matches_) << kClose[shown_level_ - 2];
    return out;
  }

  Writer code_block(At first, At last) {
    Writer out;
    out << Markup("<pre tabindex=\"0\"><code>");
    for (At line = first; line != last; ++line) out << (line == first ? Markup("") : Markup("\n")) << matches_.part(*line);
    out << Markup("</code></pre>");
    return out;
  }

  Writer fenced(At& at, At end) {
    const std::string_view fence = fence_of(*at++);
    const At first = at;
    while (at != end && !(bare(*at).starts_with(fence) && bare(*at).find_first_not_of(fence.front()) == std::string_view::npos))
      ++at;
    const At last = at;
    if (at != end) ++at;
    return code_block(first, last);
  }

  Writer indented(At& at, At end) {
    const At first = at;
    while (at != end && (is_blank(*at) || indent_of(*at) >= kTab)) ++at;
    At last = at;
    while (last != first && is_blank(*(last - 1))) --last;
    return code_block(first, last);
  }

  Writer quote(At& at, At end, int depth) {
    Lines inside;
    for (; at != end && is_quote(*at); ++at) {
      std::string_view line = without_indent(*at, kTab);
      line.remove_prefix(1);
      inside.push_back(without_indent(line, 1));
    }
    Writer out;
    out << Markup("<blockquote>") << write(inside, depth + 1) << Markup("</blockquote>");
    return out;
  }

  Writer list(At& at, At end, int depth) {
    const bool ordered = marker_of(*at)->ordered;
    const std::size_t indent = indent_of(*at);
    Writer out;
    if (reads_right_to_left(*at)) out << (ordered ? Markup("<ol dir=\"rtl\">") : Markup("<ul dir=\"rtl\">"));
    else out << (ordered ? Markup("<ol>") : Markup("<ul>"));
    while (at != end) {
      const auto marker = marker_of(*at);
      if (!marker || marker->ordered != ordered || indent_of(*at) + 1 < indent) break;
      out << item(at, end, *marker, depth);
    }
    out << (ordered ? Markup("</ol>") : Markup("</ul>"));
    return out;
  }

  Writer item(At& at, At end, const Marker& marker, int depth) {
    const std::size_t indent = indent_of(*at);
    const std::string_view words = bare(*at);
    Lines inside = {bare(words.substr(std::min(words.size(), marker.columns - indent - 1)))};
    for (++at; at != end; ++at) {
      if (is_blank(*at)) {
        // A blank line continues the item only if an indented line follows.
        const At next = std::find_if_not(at, end, is_blank);
        if (next == end || indent_of(*next) <= indent) {
          at = next != end && marker_of(*next) ? next : at;
          break;
        }
        inside.push_back(*at);
        at = next - 1;
        continue;
      }
      const bool inner = indent_of(*at) > indent + 1 || (indent_of(*at) > indent && !marker_of(*at));
      if (!inner && begins_block(*at)) break;
      inside.push_back(without_indent(*at, marker.columns));
    }
    return item_of(inside, depth);
  }

  Writer item_of(Lines& inside, int depth) {
    std::string_view& first = inside.front();
    const bool open = first.starts_with("[ ] "), done = first.starts_with("[x] ") || first.starts_with("[X] ");
    Writer out;
    if (open || done) {
      first.remove_prefix(4);
      out << Markup("<li class=\"todo\"><span role=\"img\" class=\"box")
          << (done ? Markup(" done\" aria-label=\"Done\">✓</span>") : Markup("\" aria-label=\"To do\"></span>"));
    } else {
      out << Markup("<li>");
    }
    out << Markup("<div>") << write(inside, depth + 1) << Markup("</div></li>");
    return out;
  }

  Writer row(std::string_view line, bool is_head, std::size_t columns) {
    Lines cells = cells_of(line);
    cells.resize(columns);
    Writer out;
    out << Markup("<tr>");
    for (const std::string_view cell : cells) {
      out << (is_head ? Markup("<th dir=\"auto\">") : Markup("<td dir=\"auto\">"));
      if (!cell.empty()) out << markdown_inline(cell, matches_);
      out << (is_head ? Markup("</th>") : Markup("</td>"));
    }
    out << Markup("</tr>");
    return out;
  }

  Writer table(At& at, At end) {
    const std::size_t columns = cells_of(*at).size();
    Writer out;
    out << Markup("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"")
        << (reads_right_to_left(*at) ? Markup(" dir=\"rtl\"><table><thead>") : Markup("><table><thead>"))
        << row(*at, true, columns) << Markup("</thead><tbody>");
    for (at += 2; at != end && !is_blank(*at) && at->find('|') != std::string_view::npos; ++at) out << row(*at, false, columns);
    out << Markup("</tbody></table></div>");
    return out;
  }

  static bool begins_block(std::string_view line) {
    return heading_level(line) > 0 || !fence_of(line).empty() || is_rule(line) || is_quote(line) || marker_of(line).has_value();
  }

  // The lines of a paragraph, joined as they are written.
  Writer paragraph(At& at, At end, int depth) {
    Writer out;
    out << Markup("<p dir=\"auto\">");
    const bool is_deep = depth >= kMaxMarkdownNesting;
    std::string_view joined = *at;
    for (++at; at != end && !is_blank(*at) && (is_deep || !begins_block(*at)); ++at) {
      // Lines of a list or quote are not adjacent in the text, and emphasis does not cross them.
      const bool adjacent = joined.data() + joined.size() + 1 == at->data();
      if (adjacent) {
        joined = {joined.data(), joined.size() + 1 + at->size()};
        continue;
      }
      out << markdown_inline(joined, matches_) << Markup("\n");
      joined = *at;
    }
    out << markdown_inline(joined, matches_) << Markup("</p>");
    return out;
  }

  Matches::In& matches_;
  std::size_t shown_level_ = 1;  // of the last heading; the page has the first
};

}  // namespace

Writer markdown(std::string_view text, Matches::In& matches) {
  Writer out;
  out << Markup("<div class=\"prose\">") << Blocks(matches).write(lines_of(text), 0) << Markup("</div>");
  return out;
}

}  // namespace ladder::console

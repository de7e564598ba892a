#include "cli/search_view.h"

#include "base/columns.h"
#include "base/format.h"
#include "base/utf8.h"
#include "cli/shell_word.h"
#include "cli/visible_text.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::cli {
namespace {

using port::MatchWindow;

// In one line: breaks and tabs become spaces, what could act on the terminal is shown as codes.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return visible_label(line);
}

// Text in which some bytes are to stand out.
struct Marked {
  std::string text;
  std::vector<LineRange> strong = {};  // ascending, apart from each other
};

// The window's text with its matched words.
Marked marked(const MatchWindow& window) {
  Marked out{window.start_chars > 0 ? "… " : ""};
  std::int64_t at = window.start_chars;
  const auto add = [&](std::int64_t end) {
    out.text += one_line(utf8::slice(window.text, at - window.start_chars, end - at));
    at = end;
  };
  for (const MatchWindow::Range& match : window.matches) {  // by ascending start; one may lie inside another
    if (match.end_chars <= at) continue;
    if (match.start_chars > at) add(match.start_chars);
    const std::size_t begin = out.text.size();
    add(match.end_chars);
    out.strong.push_back({begin, out.text.size()});
  }
  add(window.end_chars);
  if (window.end_chars < window.size_chars) out.text += " …";
  return out;
}

// A part of it, in bold where the terminal has it.
std::string painted(const Console& console, const Marked& marked, LineRange line) {
  const std::string_view text = marked.text;
  std::string out;
  std::size_t at = line.begin;
  for (const LineRange& strong : marked.strong) {
    const std::size_t begin = std::clamp(strong.begin, at, line.end), end = std::clamp(strong.end, at, line.end);
    if (begin == end) continue;
    out += text.substr(at, begin - at);
    out += console.paint_out(Tone::kStrong, text.substr(begin, end - begin));
    at = end;
  }
  out += text.substr(at, line.end - at);
  return out;
}

// Indented by two; on a terminal in lines of its width, elsewhere in one.
std::string lines_text(const Console& console, const Marked& marked) {
  constexpr std::size_t kIndent = 2, kLeast = 20;
  std::vector<LineRange> lines = {{0, marked.text.size()}};
  if (console.out_is_terminal()) {
    const std::size_t columns = std::max(console.out_columns(), kIndent + kLeast) - kIndent;
    lines = wrap_to_columns(marked.text, static_cast<std::int64_t>(columns));
  }
  std::string out;
  for (const LineRange& line : lines) out += format("  {}\n", painted(console, marked, line));
  return out;
}

std::string window_text(const Console& console, const port::SearchHit& hit, const MatchWindow& window, std::string_view flags) {
  const std::string range = window.complete ? format("all {} chars", grouped(window.size_chars))
                                            : format("chars {} to {} of {}", grouped(window.start_chars),
                                                     grouped(window.end_chars), grouped(window.size_chars));
  std::string out = format("  {}\n", console.paint_out(Tone::kFaint, format("{}, {}", visible_label(window.field_path), range)));
  out += lines_text(console, marked(window));
  const std::string offset = window.start_chars == 0 ? "" : format(" --offset {}", window.start_chars);
  return out + format("  ladder read {} {}{}{}\n", shell_word(model::format_record_id(hit.ref)), shell_word(window.field_path),
                      offset, flags);
}

}  // namespace

std::string hits_text(const Console& console, const std::vector<port::SearchHit>& hits, const std::vector<std::string>& titles,
                      std::string_view flags) {
  std::string out;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const port::SearchHit& hit = hits[i];
    const std::string id = visible_label(model::format_record_id(hit.ref)), title = one_line(titles[i]);
    const std::string& time = hit.authored_at.empty() ? hit.emitted_at : hit.authored_at;
    out += console.paint_out(Tone::kStrong, title.empty() ? id : title);
    out += format("  {}\n", visible_label(time));
    if (!title.empty()) out += format("  {}\n", id);
    for (const MatchWindow& window : hit.windows) out += window_text(console, hit, window, flags);
    if (hit.windows.empty()) out += "  only its metadata matched; no text can be shown\n";
    out += '\n';
  }
  return out;
}

}  // namespace ladder::cli

#include "cli/search_view.h"

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

// The window's text with its matched words in bold, where the terminal has it.
std::string emphasised(const Console& console, const MatchWindow& window) {
  std::string line = window.start_chars > 0 ? "… " : "";
  std::int64_t at = window.start_chars;
  const auto part = [&](std::int64_t end) {
    const std::string_view text = utf8::slice(window.text, at - window.start_chars, end - at);
    at = end;
    return one_line(text);
  };
  for (const MatchWindow::Range& match : window.matches) {  // by ascending start; one may lie inside another
    if (match.end_chars <= at) continue;
    if (match.start_chars > at) line += part(match.start_chars);
    line += console.paint_out(Tone::kStrong, part(match.end_chars));
  }
  line += part(window.end_chars);
  return line + (window.end_chars < window.size_chars ? " …" : "");
}

std::string window_text(const Console& console, const port::SearchHit& hit, const MatchWindow& window, std::string_view flags) {
  const std::string range = window.complete ? format("all {} chars", grouped(window.size_chars))
                                            : format("chars {} to {} of {}", grouped(window.start_chars),
                                                     grouped(window.end_chars), grouped(window.size_chars));
  std::string out = format("  {}\n", console.paint_out(Tone::kFaint, format("{}, {}", visible_label(window.field_path), range)));
  out += format("  {}\n", emphasised(console, window));
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

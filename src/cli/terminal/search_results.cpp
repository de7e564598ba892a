#include "cli/terminal/search_results.h"

#include "api/wire_words.h"
#include "base/text/columns.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "cli/terminal/short_ids.h"
#include "cli/terminal/stream_roles.h"
#include "model/record_id.h"

#include <algorithm>

namespace ladder::cli {
namespace {

using api::MatchWindow;

// Returns the text in one line: line breaks and tabs become spaces, control characters are shown as codes.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return visible_label(line);
}

// A text with byte ranges to highlight.
struct Marked {
  std::string text;
  std::vector<LineRange> strong = {};  // ascending, not overlapping
};

// Returns the window's text with its matches marked.
Marked marked(const MatchWindow& window) {
  Marked out{window.start_chars > 0 ? "… " : ""};
  std::int64_t at = window.start_chars;
  const auto add = [&](std::int64_t end) {
    out.text += one_line(utf8::slice(window.text, at - window.start_chars, end - at));
    at = end;
  };
  for (const MatchWindow::Range& match : window.matches) {  // ascending by start; ranges may be nested
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

// Returns one line of the text, with matches in bold if the output shows colors.
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

// Indents the text by two spaces; wraps it on a terminal, elsewhere keeps it on one line.
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

// Returns the line below a window: its position in the field and the command to continue reading.
std::string place_text(const Console& console, const api::SearchHit& hit, const MatchWindow& window, std::string_view flags) {
  if (window.complete) return {};
  const std::string place = format("{}, chars {} to {} of {}", visible_label(window.field_path), grouped(window.start_chars),
                                   grouped(window.end_chars), grouped(window.size_chars));
  const std::int64_t start = api::read_start(window);
  const std::string offset = start == 0 ? "" : format(" --offset {}", start);
  return format("  {}\n  ladder read {} {}{}{}\n", console.paint_out(Tone::kFaint, place),
                shell_word(model::format_record_id(hit.ref)), shell_word(window.field_path), offset, flags);
}

// Returns the name on its own line, with its matched words, if a window contains the complete name.
std::string name_text(const Console& console, const api::SearchHit& hit, const std::string& name) {
  for (const MatchWindow& window : hit.windows) {
    if (!window.complete || window.text != name) continue;
    const Marked whole = marked(window);
    return painted(console, whole, {0, whole.text.size()});
  }
  return one_line(name);
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + visible_label(word);
  return list;
}

std::string hit_text(const Console& console, const api::SearchHit& hit, std::string_view flags,
                     const GroupCommand& group_command) {
  const std::string id = hit.ref.stream.empty() ? hit.other_id : shown_id(hit.ref);
  const std::string time = read_time(hit.authored_at.empty() ? hit.emitted_at : hit.authored_at);
  std::string out;
  if (hit.title.empty()) {
    out = format("{}  {}\n", console.paint_out(Tone::kStrong, visible_label(id)), time);
  } else {
    out = format("{}\n  {}\n", console.paint_out(Tone::kStrong, one_line(hit.title)),
                 hit.author.empty() ? time : name_text(console, hit, hit.author) + "  " + time);
  }
  if (hit.title.empty() && !hit.author.empty()) out += format("  {}\n", name_text(console, hit, hit.author));
  for (const MatchWindow& window : hit.windows) {
    // The title and the author were already printed.
    if (window.complete && !window.text.empty() && (window.text == hit.title || window.text == hit.author)) continue;
    out += lines_text(console, marked(window)) + place_text(console, hit, window, flags);
  }
  if (hit.windows.empty()) out += "  only its metadata matched; no text can be shown\n";
  if (!hit.missing.empty()) out += format("  {}\n", console.paint_out(Tone::kFaint, "without " + list_of(hit.missing)));
  if (hit.group && hit.group->second) out += format("  also in this {}\n", visible_label(hit.group->label));
  if (hit.group && hit.group->more > 0) {
    out += format("  {}{} more {}: {}\n", hit.group->exact ? "" : "at least ", grouped(hit.group->more),
                  visible_label(api::words_of_group(*hit.group)), group_command(hit.group->id));
  }
  return out + format("  ladder show {}{}\n\n", shell_word(id), flags);
}

constexpr std::size_t kNumberColumns = 4;  // "12  "
constexpr std::string_view kBetweenFacts = " · ";
constexpr std::int64_t kAuthorColumns = 32;

void add_fact(std::string& facts, const std::string& fact) {
  if (!fact.empty()) facts += (facts.empty() ? "" : std::string(kBetweenFacts)) + fact;
}

// Author, time and connection, and what else there is to say about a hit.
std::string facts_of(const api::SearchHit& hit, std::size_t number) {
  std::string facts;
  add_fact(facts, cut_to_columns(one_line(hit.author), kAuthorColumns));
  add_fact(facts, read_time(hit.authored_at.empty() ? hit.emitted_at : hit.authored_at));
  add_fact(facts, visible_label(hit.ref.connection_id));
  if (!hit.missing.empty()) add_fact(facts, "without " + list_of(hit.missing));
  if (hit.group && hit.group->second) add_fact(facts, "also in this " + visible_label(hit.group->label));
  if (hit.group && hit.group->more > 0) {
    add_fact(facts, format("{}{} more: ladder more {}", hit.group->exact ? "" : "at least ", grouped(hit.group->more), number));
  }
  return facts;
}

// The lines of the wrapped text from the first match on; at most `most`.
std::string evidence_lines(const Console& console, const api::SearchHit& hit, std::size_t most, std::string_view indent) {
  const auto is_shown = [&](const MatchWindow& window) {
    return window.complete && !window.text.empty() && (window.text == hit.title || window.text == hit.author);
  };
  const auto window = std::ranges::find_if_not(hit.windows, is_shown);
  if (window == hit.windows.end()) return {};
  const Marked text = marked(*window);
  const std::size_t width = std::max<std::size_t>(console.out_columns(), 40) - indent.size();
  const std::vector<LineRange> lines = wrap_to_columns(text.text, static_cast<std::int64_t>(width));
  const auto has_match = [&](const LineRange& line) { return text.strong.empty() || text.strong.front().begin < line.end; };
  std::string out;
  for (auto line = std::ranges::find_if(lines, has_match); line != lines.end() && most > 0; ++line, --most) {
    out += format("{}{}\n", indent, painted(console, text, *line));
  }
  return out;
}

std::string numbered_hit(const Console& console, const api::SearchHit& hit, std::size_t number) {
  const std::string indent(kNumberColumns, ' ');
  const std::int64_t width = static_cast<std::int64_t>(std::max<std::size_t>(console.out_columns(), 40) - kNumberColumns);
  const std::string head = format("{:>2}  ", number), facts = cut_to_columns(facts_of(hit, number), width);
  if (hit.title.empty()) return format("{}{}\n{}", head, facts, evidence_lines(console, hit, 2, indent));
  return format("{}{}\n{}{}\n{}", head, console.paint_out(Tone::kStrong, cut_to_columns(one_line(hit.title), width)), indent,
                console.paint_out(Tone::kFaint, facts), evidence_lines(console, hit, 1, indent));
}

}  // namespace

std::string numbered_hits_text(const Console& console, const std::vector<api::SearchHit>& hits, std::size_t first) {
  std::string out;
  for (const api::SearchHit& hit : hits) out += numbered_hit(console, hit, first++) + "\n";
  return out;
}

std::string read_time(std::string_view text) {
  constexpr std::size_t kDate = 10, kMinutes = 16, kSeconds = 19;
  if (text.size() < kSeconds || text[kDate] != 'T') return visible_label(text);
  const std::string_view date = text.substr(0, kDate), clock = text.substr(kDate + 1, kMinutes - kDate - 1);
  const std::string_view zone = text.substr(std::min(text.find_first_of("Z+-", kSeconds), text.size()));
  return visible_label(clock == "00:00" ? std::string(date) : format("{} {}{}", date, clock, zone == "Z" ? " UTC" : zone));
}

std::string hits_text(const Console& console, const std::vector<api::SearchHit>& hits, std::string_view flags,
                      const GroupCommand& group_command) {
  std::string out;
  for (const api::SearchHit& hit : hits) out += hit_text(console, hit, flags, group_command);
  return out;
}

namespace {

constexpr std::int64_t kNameChars = 200;

}  // namespace

void name_hits(server::Reads& reads, const server::Access& access, std::vector<api::SearchHit>& hits) {
  if (hits.empty()) return;
  const RolesByStream all = roles_by_stream(reads, access);
  for (api::SearchHit& hit : hits) {
    const StreamRoles roles = roles_of(all, hit.ref);
    api::RecordRequest request;
    if (hit.title.empty() && !roles.title.empty()) request.fields.push_back(roles.title);
    if (hit.author.empty() && !roles.author.empty()) request.fields.push_back(roles.author);
    if (request.fields.empty()) continue;
    request.record = hit.ref;
    request.max_field_chars = kNameChars;
    const auto record = reads.record(access, request);
    if (!record) continue;
    if (hit.title.empty()) hit.title = text_member(record->data, roles.title);
    if (hit.author.empty()) hit.author = text_member(record->data, roles.author);
  }
}

}  // namespace ladder::cli

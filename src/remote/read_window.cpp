// A field window (contract 7.4). Chars are code points here: where a server mixes in UTF-16 units (contract 7.5), its end and its
// offsets are not believed; what it says of start and size, and the text itself, give them.
#include "base/limits.h"
#include "base/utf8.h"
#include "remote/readers.h"

#include <algorithm>

namespace ladder::remote {
namespace {

// A bare number is an offset in disguise: bound to nothing.
bool is_sealed(const std::string& cursor) { return cursor.find_first_not_of("0123456789") != std::string::npos; }

bool seals_cursors(const Object& told) {
  bool mentioned = false;
  for (const char* const name : {"next_cursor", "previous_cursor"}) {
    if (!told.mentions(name)) continue;
    mentioned = true;
    if (told.has(name) && !is_sealed(told.hint(name))) return false;
  }
  return mentioned;
}

std::optional<evidence::Match> match_of(const Object& told, const port::FieldWindowRequest& asked, std::int64_t size_chars) {
  const auto start = told.integer_if_any("match_start_chars");
  if (!start) return std::nullopt;
  if (*start < 0 || *start > size_chars) {
    told.complain("match_start_chars", "lies outside the field");
    return std::nullopt;
  }
  evidence::Match match{told.text_if_any("match_q"), *start, told.integer_or("match_end_chars", *start)};
  if (match.q.empty()) match.q = asked.window.q.value_or("");
  if (!match.q.empty()) match.end_chars = *start + std::min(utf8::count(match.q), size_chars - *start);
  return match;
}

// A window of something else is no answer, whatever it says.
void check_identity(const Object& body, const Object& field, const port::FieldWindowRequest& asked) {
  const std::string connection = connection_of(body);
  if (!connection.empty() && !asked.record.connection_id.empty() && connection != asked.record.connection_id)
    body.complain("connection_id", "is not the one asked for");
  if (body.text_or("stream", asked.record.stream) != asked.record.stream) body.complain("stream", "is not the one asked for");
  if (body.text_or("record_id", asked.record.record_id) != asked.record.record_id)
    body.complain("record_id", "is not the one asked for");
  if (field.text_or("path", asked.field_path) != asked.field_path) field.complain("path", "is not the one asked for");
}

}  // namespace

WindowRead read_window(Answer& answer, const port::FieldWindowRequest& asked, std::int64_t most_chars) {
  const Object body = answer.object();
  const Object field = body.object("field");
  const Object told = body.object("window");
  check_identity(body, field, asked);
  WindowRead read;
  evidence::FieldWindow& window = read.window;
  window.record = asked.record;
  if (window.record.connection_id.empty()) window.record.connection_id = connection_of(body);
  window.path = asked.field_path;
  window.type = field.text_or("type", "string");
  window.mime_type = field.text_if_any("mime_type");
  window.text_like = field.boolean_or("text_like", true);
  window.digest = field.text_if_any("digest");

  window.size_chars = told.integer("total_chars");
  window.start_chars = told.integer("start_chars");
  window.limit_chars = std::clamp<std::int64_t>(told.integer_or("limit_chars", most_chars), 1, limits::kWindowMaxChars);
  window.text = told.text("text");
  const std::int64_t chars = utf8::count(window.text);
  const bool is_inside =
      window.start_chars >= 0 && window.start_chars <= window.size_chars && chars <= window.size_chars - window.start_chars;
  if (!is_inside) {
    told.complain("start_chars", "and text lie outside the field");
    return read;
  }
  if (chars > most_chars) window.text = utf8::slice(window.text, 0, most_chars);
  window.end_chars = window.start_chars + std::min(chars, most_chars);
  window.match = match_of(told, asked, window.size_chars);
  if (window.match && (window.match->start_chars < window.start_chars || window.match->end_chars > window.size_chars)) {
    told.complain("match_start_chars", "lies outside the window");
  }
  read.seals_cursors = seals_cursors(told);
  if (!read.seals_cursors) return read;
  window.next_cursor = told.text_if_any("next_cursor");
  window.previous_cursor = told.text_if_any("previous_cursor");
  window.next_match_cursor = told.text_if_any("next_match_cursor");
  return read;
}

}  // namespace ladder::remote

// The field-window body of PDPP "field windows" with Ladder's additions: the self-contained id, the connection, the
// field's class, size and digest, and sealed cursors in addition to offsets. The text comes last, so that truncated
// output loses only text.
#include "api/field_window.h"

#include "base/text/bytes.h"
#include "base/text/utf8.h"
#include "json/writer.h"
#include "model/handle.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace ladder::api {
namespace {

void number_or_null(json::Writer& out, std::string_view name, std::optional<std::int64_t> value) {
  out.key(name);
  value ? out.number(*value) : out.null();
}

void text_or_null(json::Writer& out, std::string_view name, std::string_view value) {
  out.key(name);
  value.empty() ? out.null() : out.string(value);
}

void write_field(json::Writer& out, const FieldWindow& window) {
  out.key("field").begin_object();
  out.member("path", window.path).member("type", window.type).optional_member("mime_type", window.mime_type);
  out.member("text_like", window.text_like).member("size_chars", window.size_chars).optional_member("digest", window.digest);
  if (window.size_bytes >= 0) out.member("size_bytes", window.size_bytes);
  out.end_object();
}

void write_window(json::Writer& out, const FieldWindow& window) {
  std::optional<std::int64_t> next, previous, match_start, match_end;
  if (window.has_more()) next = window.end_chars;
  if (window.start_chars > 0) previous = std::max<std::int64_t>(0, window.start_chars - window.limit_chars);
  if (window.match) match_start = window.match->start_chars, match_end = window.match->end_chars;

  out.key("window").begin_object();
  out.member("total_chars", window.size_chars).member("start_chars", window.start_chars).member("end_chars", window.end_chars);
  out.member("limit_chars", window.limit_chars).member("complete", window.complete()).member("has_more", window.has_more());
  number_or_null(out, "match_start_chars", match_start);
  number_or_null(out, "match_end_chars", match_end);
  number_or_null(out, "next_offset_chars", next);
  number_or_null(out, "previous_offset_chars", previous);
  text_or_null(out, "next_cursor", window.next_cursor);
  text_or_null(out, "previous_cursor", window.previous_cursor);
  if (window.match) {
    text_or_null(out, "next_match_cursor", window.next_match_cursor);
    out.member("match_q", window.match->q);  // a cursor to the next match does not reveal its query
  }
  out.member("text", window.text);
  out.end_object();
}

}  // namespace

std::string to_json(const FieldWindow& window) {
  const model::RecordRef& record = window.record;
  json::Writer out;
  out.begin_object();
  out.member("object", "field_window").member("id", model::format_record_id(record));
  out.optional_member("connection_id", record.connection_id)
      .member("stream", record.stream)
      .member("record_id", record.record_id);
  out.member("url", "/v1/streams/" + model::percent_encode(record.stream) + "/records/" +
                        model::percent_encode(record.record_id) + "/field-window");
  write_field(out, window);
  write_window(out, window);
  out.end_object();
  return out.take();
}

void shorten(FieldWindow& window, const model::WindowArguments& smaller, Keep keep) {
  std::int64_t start = window.start_chars, end = window.end_chars;
  if (keep == Keep::kMatch && window.match) {
    model::WindowSelector around;
    around.before_chars = smaller.before_chars.value_or(window.match->start_chars - start);
    around.after_chars = smaller.after_chars.value_or(end - window.match->end_chars);
    around.limit_chars = smaller.limit_chars;
    const std::int64_t match_chars = window.match->end_chars - window.match->start_chars;
    const model::MatchSpan span = model::span_around(around, window.match->start_chars, match_chars, window.size_chars);
    start = std::max(start, span.start);
    end = std::min(end, span.end);
    window.limit_chars = span.limit;
  } else {
    window.limit_chars = smaller.limit_chars.value_or(window.limit_chars);
    if (keep == Keep::kEnd) start = std::max(start, end - window.limit_chars);
    else end = std::min(end, start + window.limit_chars);
  }
  window.text = utf8::slice(window.text, start - window.start_chars, end - window.start_chars);
  window.start_chars = start;
  window.end_chars = end;
}

// The packed form: direction 1 | location 8 | content 8 | anchor, limit as varints; for a match also before, after |
// q to the end.

namespace {

std::unexpected<Error> unreadable() {
  return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
}

}  // namespace

std::string pack(const CursorHashes& hashes, const WindowCursor& cursor) {
  std::string packed(1, static_cast<char>(cursor.direction));
  packed += hashes.location;
  packed += hashes.content;
  const auto put = [&](std::int64_t number) { put_varint(packed, static_cast<std::uint64_t>(number)); };
  put(cursor.anchor_chars);
  put(cursor.limit_chars);
  if (cursor.direction != Direction::kMatch) return packed;
  put(cursor.before_chars);
  put(cursor.after_chars);
  return packed + cursor.q;
}

Result<UnpackedCursor> unpack(std::string_view packed, std::string_view location) {
  std::size_t at = 1 + 2 * kCursorHashBytes;
  if (packed.size() < at) return unreadable();
  UnpackedCursor unpacked;
  WindowCursor& cursor = unpacked.cursor;
  cursor.direction = static_cast<Direction>(packed[0]);
  unpacked.content = packed.substr(1 + kCursorHashBytes, kCursorHashBytes);
  std::vector<std::int64_t*> numbers = {&cursor.anchor_chars, &cursor.limit_chars};
  if (cursor.direction == Direction::kMatch) numbers.insert(numbers.end(), {&cursor.before_chars, &cursor.after_chars});
  for (std::int64_t* const number : numbers) {
    const auto value = get_varint(packed, at);
    if (!value) return unreadable();
    *number = static_cast<std::int64_t>(*value);
  }
  if (cursor.direction != Direction::kMatch && at != packed.size()) return unreadable();
  cursor.q = packed.substr(at);
  if (packed.substr(1, kCursorHashBytes) != location) {
    return fail(Code::kCursorMismatch,
                "the cursor belongs to another record, field or grant; use it with the arguments it came with, or start again "
                "without it",
                "cursor");
  }
  return unpacked;
}

Error stale_cursor(const WindowCursor& cursor, std::int64_t size_chars, std::string digest) {
  Error error{Code::kStaleCursor, "the field has changed since the cursor was made; read on from offset_chars instead", "cursor"};
  ErrorDetails& details = error.details();
  details.digest = std::move(digest);
  details.size_chars = size_chars;
  details.resume_offset_chars = std::min(cursor.anchor_chars, size_chars);
  return error;
}

}  // namespace ladder::api

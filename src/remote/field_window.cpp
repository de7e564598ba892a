// GET …/field-window: reads one bounded window per call, never the record (R102). Cursors of a server that seals its own are
// passed through. For other servers the adapter seals them, and opens them before it sends a request (design D6).
#include "api/render/target.h"
#include "base/limits.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "json/scan/pointer.h"
#include "model/field_path.h"
#include "model/window_selector.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

using model::SelectorKind;

constexpr std::string_view kOperation = "field window";

// Fills in the selector's defaults, since servers differ (PDPP "field windows").
api::FieldWindowRequest with_defaults(api::FieldWindowRequest request, const model::WindowSelector& selector) {
  switch (selector.kind) {
    case SelectorKind::kOffset:
      request.window.offset_chars = selector.offset_chars;
      request.window.limit_chars = selector.limit();
      break;
    case SelectorKind::kQuery:
      request.window.before_chars = selector.before_chars;
      request.window.after_chars = selector.after_chars;
      break;
    case SelectorKind::kCursor:
      break;
  }
  return request;
}

// Some servers support only windows of top-level strings, or none at all (PDPP "field windows"): they reject an object or an
// array as not text, a pointer as an unknown field, or the route itself.
bool is_window_unsupported(const Error& error, const std::string& field_path) {
  const bool is_pointer = field_path.starts_with('/');
  const bool is_no_protocol_error = error.more && !error.more->rule.empty();
  return error.code == Code::kFieldNotText ||
         (is_pointer && (error.code == Code::kFieldNotFound || error.code == Code::kInvalidFieldPath)) ||
         (error.code == Code::kNotFound && is_no_protocol_error);
}

std::int64_t most_chars(const model::WindowSelector& selector) {
  return selector.kind == SelectorKind::kOffset ? selector.limit() : limits::kWindowMaxChars;
}

}  // namespace

Result<api::FieldWindow> RemotePort::field_window(const api::FieldWindowRequest& request, std::stop_token stop) {
  LADDER_TRY(const model::WindowSelector selector, model::checked(request.window));
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(request.field_path));
  const ValueMemory::Call call(values_);
  const bool by_cursor = selector.kind == SelectorKind::kCursor;
  if (by_cursor) {
    LADDER_TRY(const auto own, cursors_.open(request));
    if (own) return resume(request, *own, stop);
  }
  const auto unknown_cursor = [] {
    return fail(Code::kInvalidCursor, "the cursor was not created by this server or this adapter; start again without it",
                "cursor");
  };
  if (by_cursor && seals_nothing_) return unknown_cursor();
  LADDER_TRY(WindowRead read, ask_window(with_defaults(request, selector), most_chars(selector), stop));
  api::FieldWindow& window = read.window;
  if (by_cursor && !read.seals_cursors) return unknown_cursor();  // it was ignored, and this is the start of the field
  if (!read.seals_cursors && window.match && window.match->end_chars > window.end_chars) {
    LADDER_TRY(window, match_inside(request, window.match->end_chars - window.match->start_chars, stop));
  }
  if (!read.seals_cursors) cursors_.seal(window, request);
  const bool tells_no_next = selector.kind == SelectorKind::kQuery && window.match && window.next_match_cursor.empty();
  if (tells_no_next) cursors_.seal_match(window, request, selector, window.match->end_chars);
  return std::move(window);
}

Result<WindowRead> RemotePort::ask_window(const api::FieldWindowRequest& request, std::int64_t most_chars,
                                          const std::stop_token& stop) {
  if (values_.find(request)) return cut_window(request, most_chars, stop);
  auto reply = exchange_.get(kOperation, api::target_of(request), stop);
  if (!reply) {
    if (reply.error().param == "field") reply.error().param = "field_path";  // the parameter's name in this API
    if (!is_window_unsupported(reply.error(), request.field_path)) return std::unexpected(reply.error());
    auto cut = cut_window(request, most_chars, stop);
    // If the server already reported that there is no such value, its message is more precise.
    if (!cut && cut.error().code == reply.error().code) return std::unexpected(reply.error());
    return cut;
  }
  LADDER_TRY(auto read, understood(exchange_, kOperation, reply->body,
                                   [&](Answer& answer) { return read_window(answer, request, most_chars); }));
  if (!read.seals_cursors) seals_nothing_ = true;
  return read;
}

Result<api::FieldWindow> RemotePort::resume(const api::FieldWindowRequest& request, const api::UnpackedCursor& opened,
                                            const std::stop_token& stop) {
  const api::WindowCursor& cursor = opened.cursor;
  if (cursor.direction == api::Direction::kMatch) return next_match(request, opened, stop);
  const std::int64_t limit =
      std::clamp<std::int64_t>(request.window.limit_chars.value_or(cursor.limit_chars), 1, limits::kWindowMaxChars);
  api::FieldWindowRequest asked = request;
  asked.window = {};
  asked.window.offset_chars = cursor.anchor_chars;
  asked.window.limit_chars = limit;
  if (cursor.direction == api::Direction::kBackward) {
    asked.window.offset_chars = std::max<std::int64_t>(0, cursor.anchor_chars - limit);
    asked.window.limit_chars = cursor.anchor_chars - *asked.window.offset_chars;
  }
  LADDER_TRY(WindowRead read, ask_window(asked, *asked.window.limit_chars, stop));
  if (!WindowCursors::same_content(opened, read.window)) {
    return std::unexpected(api::stale_cursor(cursor, read.window.size_chars, read.window.digest));
  }
  read.window.limit_chars = limit;
  cursors_.seal(read.window, request);
  return std::move(read.window);
}

// Some servers put the context before the match and then have no space for the match, so this requests less context.
Result<api::FieldWindow> RemotePort::match_inside(const api::FieldWindowRequest& request, std::int64_t match_chars,
                                                  const std::stop_token& stop) {
  api::FieldWindowRequest asked = request;
  const std::int64_t limit = std::max(request.window.limit_chars.value_or(limits::kWindowMaxChars), match_chars);
  const std::int64_t before = request.window.before_chars.value_or(limits::kContextDefaultChars);
  asked.window.limit_chars = limit;
  asked.window.before_chars = std::min(before, limit - match_chars);
  asked.window.after_chars = request.window.after_chars.value_or(limits::kContextDefaultChars);
  LADDER_TRY(WindowRead read, ask_window(asked, limit, stop));
  const auto& match = read.window.match;
  if (!match || match->end_chars > read.window.end_chars) {
    return exchange_.misunderstood(kOperation, "its window does not contain the reported match");
  }
  return std::move(read.window);
}

// A window of a value that the server supports no windows of: GET …/records/{record_id} with that one field, once, within the
// size limit of a response; the window is cut here. It counts like Ladder's own server: the text of a string, the JSON text of
// an object or array.

namespace {

constexpr std::string_view kWholeRecord = "record";

std::optional<std::string_view> type_of(const json::Value& value) {
  if (value.kind == json::Kind::kString) return "string";
  if (value.kind == json::Kind::kObject) return "object";
  if (value.kind == json::Kind::kArray) return "array";
  return std::nullopt;
}

}  // namespace

Result<WholeValue> RemotePort::whole_value(const api::FieldWindowRequest& request, const std::stop_token& stop) {
  if (auto known = values_.find(request)) return *std::move(known);
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(request.field_path));
  api::RecordRequest asked;
  asked.record = request.record;
  asked.connector_key = request.connector_key;
  asked.fields = {path.field};
  LADDER_TRY(const Reply reply, exchange_.get(kWholeRecord, api::target_of(asked), stop));
  LADDER_TRY(const api::Record record,
             understood(exchange_, kWholeRecord, reply.body, [&](Answer& answer) { return read_record(answer, asked.record); }));
  const auto field = json::member(record.data, path.field);
  const auto value = field ? json::resolve(*field, path.nested) : std::nullopt;
  if (!value) {
    return fail(Code::kFieldNotFound, format("the record has no \"{}\"", request.field_path), "field_path");
  }
  const auto type = type_of(*value);
  if (!type) {
    return fail(Code::kFieldNotText, format("\"{}\" is neither text nor an object nor an array", request.field_path),
                "field_path");
  }
  WholeValue whole;
  whole.record = record.ref;
  whole.type = *type;
  whole.text = std::make_shared<const std::string>(plain_text(*value));
  whole.size_chars = utf8::count(*whole.text);
  whole.digest = crypto::digest_text(crypto::sha256(*whole.text));
  values_.keep(request, whole);
  return whole;
}

Result<WindowRead> RemotePort::cut_window(const api::FieldWindowRequest& request, std::int64_t most_chars,
                                          const std::stop_token& stop) {
  LADDER_TRY(const model::WindowSelector selector, model::checked(request.window));
  if (selector.kind == model::SelectorKind::kCursor) {
    return fail(Code::kInvalidCursor, "the cursor was not created by this adapter; start again without it", "cursor");
  }
  LADDER_TRY(const WholeValue whole, whole_value(request, stop));
  WindowRead read;
  api::FieldWindow& window = read.window;
  window.record = request.record;
  if (window.record.connection_id.empty()) window.record.connection_id = whole.record.connection_id;
  window.path = request.field_path;
  window.type = whole.type;
  window.digest = whole.digest;
  window.size_chars = whole.size_chars;
  window.start_chars = std::min(selector.offset_chars, whole.size_chars);
  window.limit_chars = selector.limit();
  std::int64_t chars = std::min(selector.limit(), most_chars);
  if (selector.kind == model::SelectorKind::kQuery) {
    FoldedFinder finder(selector.q);
    const auto found = finder.feed(*whole.text);
    if (!found) return fail(Code::kQueryNotFound, "the text does not occur in the field", "q");
    const model::MatchSpan span = model::span_around(selector, *found, finder.needle_chars(), whole.size_chars);
    window.start_chars = span.start;
    window.limit_chars = span.limit;
    window.match = api::Match{selector.q, *found, *found + finder.needle_chars()};
    chars = span.end - span.start;
  }
  window.text = utf8::slice(*whole.text, window.start_chars, chars);
  window.end_chars = window.start_chars + utf8::count(window.text);
  return read;
}

// Finds the next match of a query for servers that find only the first one (PDPP "field windows") or return no cursor for the
// next. The adapter reads window by window and searches itself with our case folding (design D7), so that matches are the same
// as the server's. One call searches a bounded range. If it contains no match, the call returns a window without one and a
// cursor that continues.

namespace {

constexpr std::int64_t kMaxReads = 64;  // a million chars: some seconds with a remote server, and little load for a local one

model::WindowSelector query_of(const api::WindowCursor& cursor, const model::WindowArguments& asked) {
  model::WindowSelector query;
  query.kind = model::SelectorKind::kQuery;
  query.q = cursor.q;
  query.before_chars = cursor.before_chars;
  query.after_chars = cursor.after_chars;
  if (cursor.limit_chars > 0) query.limit_chars = cursor.limit_chars;
  if (asked.limit_chars) query.limit_chars = asked.limit_chars;
  return query;
}

}  // namespace

Result<api::FieldWindow> RemotePort::next_match(const api::FieldWindowRequest& request, const api::UnpackedCursor& opened,
                                                const std::stop_token& stop) {
  const std::int64_t from = opened.cursor.anchor_chars;
  const model::WindowSelector query = query_of(opened.cursor, request.window);
  FoldedFinder finder(query.q);
  const std::int64_t needle = finder.needle_chars();
  std::int64_t at = from, size = 0;
  std::optional<std::int64_t> found;
  // Always searches at least the length of the query, even if the server's windows are short, so that the next call makes
  // progress.
  for (std::int64_t reads = 0; !found && (reads < kMaxReads || at - from < needle); ++reads) {
    LADDER_TRY(const auto read, window_at(request, opened, at, limits::kWindowMaxChars, stop));
    found = finder.feed(read.text);
    at = read.end_chars;
    size = read.size_chars;
    if (at >= size) break;
  }
  if (!found && at >= size) return fail(Code::kQueryNotFound, "the text does not occur again in the field", "q");

  api::FieldWindow window;
  if (found) {
    const std::int64_t start = from + *found;
    const model::MatchSpan span = model::span_around(query, start, needle, size);
    LADDER_TRY(window, window_at(request, opened, span.start, span.end - span.start, stop));
    if (window.end_chars < start + needle) {
      return exchange_.misunderstood(kOperation, "its window ends too early");
    }
    window.limit_chars = span.limit;
    window.match = api::Match{query.q, start, start + needle};
    cursors_.seal_match(window, request, query, start + needle);
  } else {  // end of the searched range; a match may have begun before it
    const std::int64_t limit = std::min(query.limit_chars.value_or(limits::kWindowDefaultChars), limits::kWindowDefaultChars);
    LADDER_TRY(window, window_at(request, opened, std::max(from, at - limit), std::min(limit, at - from), stop));
    window.limit_chars = limit;
    cursors_.seal_match(window, request, query, at - (needle - 1));
  }
  cursors_.seal(window, request);
  return window;
}

Result<api::FieldWindow> RemotePort::window_at(const api::FieldWindowRequest& request, const api::UnpackedCursor& opened,
                                               std::int64_t offset, std::int64_t limit, const std::stop_token& stop) {
  api::FieldWindowRequest asked = request;
  asked.window = {};
  asked.window.offset_chars = offset;
  asked.window.limit_chars = limit;
  LADDER_TRY(WindowRead read, ask_window(asked, limit, stop));
  api::FieldWindow& window = read.window;
  if (!WindowCursors::same_content(opened, window)) {
    return std::unexpected(api::stale_cursor(opened.cursor, window.size_chars, window.digest));
  }
  const bool goes_on = window.end_chars > window.start_chars || window.start_chars == window.size_chars;
  if (window.start_chars != std::min(offset, window.size_chars) || !goes_on) {
    return exchange_.misunderstood(kOperation, "its window is not at the requested offset");
  }
  window.match.reset();
  window.next_cursor.clear();
  window.previous_cursor.clear();
  window.next_match_cursor.clear();
  return std::move(window);
}

// A field window (PDPP "field windows"). Chars are code points here. Some servers use UTF-16 units (PDPP "field windows"), so
// their end and offsets are not used; they are computed from the start, the size and the text.

namespace {

// A plain number is an offset that is bound to nothing.
bool is_sealed(const std::string& cursor) { return cursor.find_first_not_of("0123456789") != std::string::npos; }

bool seals_cursors(const Object& reported) {
  bool mentioned = false;
  for (const char* const name : {"next_cursor", "previous_cursor"}) {
    if (!reported.mentions(name)) continue;
    mentioned = true;
    if (reported.has(name) && !is_sealed(reported.hint(name))) return false;
  }
  return mentioned;
}

std::optional<api::Match> match_of(const Object& reported, const api::FieldWindowRequest& asked, std::int64_t size_chars) {
  const auto start = reported.integer_if_any("match_start_chars");
  if (!start) return std::nullopt;
  if (*start < 0 || *start > size_chars) {
    reported.complain("match_start_chars", "is outside the field");
    return std::nullopt;
  }
  api::Match match{reported.text_if_any("match_q"), *start, reported.integer_or("match_end_chars", *start)};
  if (match.q.empty()) match.q = asked.window.q.value_or("");
  if (!match.q.empty()) match.end_chars = *start + std::min(utf8::count(match.q), size_chars - *start);
  return match;
}

// Rejects a window of another field or record.
void check_identity(const Object& body, const Object& field, const api::FieldWindowRequest& asked) {
  const std::string connection = connection_of(body);
  if (!connection.empty() && !asked.record.connection_id.empty() && connection != asked.record.connection_id)
    body.complain("connection_id", "is not the requested one");
  if (body.text_or("stream", asked.record.stream) != asked.record.stream) body.complain("stream", "is not the requested one");
  if (body.text_or("record_id", asked.record.record_id) != asked.record.record_id)
    body.complain("record_id", "is not the requested one");
  if (field.text_or("path", asked.field_path) != asked.field_path) field.complain("path", "is not the requested one");
}

}  // namespace

WindowRead read_window(Answer& answer, const api::FieldWindowRequest& asked, std::int64_t most_chars) {
  const Object body = answer.object();
  const Object field = body.object("field");
  const Object reported = body.object("window");
  check_identity(body, field, asked);
  WindowRead read;
  api::FieldWindow& window = read.window;
  window.record = asked.record;
  if (window.record.connection_id.empty()) window.record.connection_id = connection_of(body);
  window.path = asked.field_path;
  window.type = field.text_or("type", "string");
  window.mime_type = field.text_if_any("mime_type");
  window.text_like = field.boolean_or("text_like", true);
  window.size_bytes = field.integer_or("size_bytes", -1);
  window.digest = field.text_if_any("digest");

  window.size_chars = reported.integer("total_chars");
  window.start_chars = reported.integer("start_chars");
  window.limit_chars = std::clamp<std::int64_t>(reported.integer_or("limit_chars", most_chars), 1, limits::kWindowMaxChars);
  window.text = reported.text("text");
  const std::int64_t chars = utf8::count(window.text);
  const bool is_inside =
      window.start_chars >= 0 && window.start_chars <= window.size_chars && chars <= window.size_chars - window.start_chars;
  if (!is_inside) {
    reported.complain("start_chars", "and text are outside the field");
    return read;
  }
  if (chars > most_chars) window.text = utf8::slice(window.text, 0, most_chars);
  window.end_chars = window.start_chars + std::min(chars, most_chars);
  window.match = match_of(reported, asked, window.size_chars);
  if (window.match && (window.match->start_chars < window.start_chars || window.match->end_chars > window.size_chars)) {
    reported.complain("match_start_chars", "is outside the window");
  }
  read.seals_cursors = seals_cursors(reported);
  if (!read.seals_cursors) return read;
  window.next_cursor = reported.text_if_any("next_cursor");
  window.previous_cursor = reported.text_if_any("previous_cursor");
  window.next_match_cursor = reported.text_if_any("next_match_cursor");
  return read;
}

}  // namespace ladder::remote

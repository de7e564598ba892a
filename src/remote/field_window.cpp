// GET …/field-window: one bounded window a call, never the record (R102). Cursors of a server that seals its own go through as
// they are; for others the adapter seals, and opens them again before anything is asked (design D6).
#include "base/limits.h"
#include "base/utf8.h"
#include "model/field_path.h"
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

using model::SelectorKind;

constexpr std::string_view kOperation = "field window";

// With what the selector means by default, since servers differ (contract 7.2, seed 000).
port::FieldWindowRequest spelled_out(port::FieldWindowRequest request, const model::WindowSelector& selector) {
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

// Some servers read windows of top-level strings only, or of nothing (contract 7.1): an object or an array is no text to them, a
// pointer is the name of no field, or the route is none.
bool reads_no_windows(const Error& error, const std::string& field_path) {
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

Result<evidence::FieldWindow> RemotePort::field_window(const port::FieldWindowRequest& request, std::stop_token stop) {
  LADDER_TRY(const model::WindowSelector selector, model::checked(request.window));
  LADDER_TRY(const model::FieldPath path, model::parse_field_path(request.field_path));
  const ValueMemory::Call call(values_);
  const bool by_cursor = selector.kind == SelectorKind::kCursor;
  if (by_cursor) {
    LADDER_TRY(const auto own, cursors_.open(request));
    if (own) return resume(request, *own, stop);
  }
  const auto unknown_cursor = [] {
    return fail(Code::kInvalidCursor, "the cursor is not one that this server or this adapter made; start again without it",
                "cursor");
  };
  if (by_cursor && seals_nothing_) return unknown_cursor();
  LADDER_TRY(WindowRead read, ask_window(spelled_out(request, selector), most_chars(selector), stop));
  evidence::FieldWindow& window = read.window;
  if (by_cursor && !read.seals_cursors) return unknown_cursor();  // it was passed over, and this is the field's start
  if (!read.seals_cursors && window.match && window.match->end_chars > window.end_chars) {
    LADDER_TRY(window, match_inside(request, window.match->end_chars - window.match->start_chars, stop));
  }
  if (!read.seals_cursors) cursors_.seal(window, request);
  const bool tells_no_next = selector.kind == SelectorKind::kQuery && window.match && window.next_match_cursor.empty();
  if (tells_no_next) cursors_.seal_match(window, request, selector, window.match->end_chars);
  return std::move(window);
}

Result<WindowRead> RemotePort::ask_window(const port::FieldWindowRequest& request, std::int64_t most_chars,
                                          const std::stop_token& stop) {
  if (values_.find(request)) return cut_window(request, most_chars, stop);
  auto reply = exchange_.get(kOperation, port::target_of(request), stop);
  if (!reply) {
    if (reply.error().param == "field") reply.error().param = "field_path";  // as it is called here
    if (!reads_no_windows(reply.error(), request.field_path)) return std::unexpected(reply.error());
    auto cut = cut_window(request, most_chars, stop);
    // Where there is no such value and the server has said so already, its words are the more exact ones.
    if (!cut && cut.error().code == reply.error().code) return std::unexpected(reply.error());
    return cut;
  }
  LADDER_TRY(auto read, understood(exchange_, kOperation, reply->body,
                                   [&](Answer& answer) { return read_window(answer, request, most_chars); }));
  if (!read.seals_cursors) seals_nothing_ = true;
  return read;
}

Result<evidence::FieldWindow> RemotePort::resume(const port::FieldWindowRequest& request, const port::UnpackedCursor& opened,
                                                 const std::stop_token& stop) {
  const port::WindowCursor& cursor = opened.cursor;
  if (cursor.direction == port::Direction::kMatch) return next_match(request, opened, stop);
  const std::int64_t limit =
      std::clamp<std::int64_t>(request.window.limit_chars.value_or(cursor.limit_chars), 1, limits::kWindowMaxChars);
  port::FieldWindowRequest asked = request;
  asked.window = {};
  asked.window.offset_chars = cursor.anchor_chars;
  asked.window.limit_chars = limit;
  if (cursor.direction == port::Direction::kBackward) {
    asked.window.offset_chars = std::max<std::int64_t>(0, cursor.anchor_chars - limit);
    asked.window.limit_chars = cursor.anchor_chars - *asked.window.offset_chars;
  }
  LADDER_TRY(WindowRead read, ask_window(asked, *asked.window.limit_chars, stop));
  if (!WindowCursors::same_content(opened, read.window)) {
    return std::unexpected(port::stale_cursor(cursor, read.window.size_chars, read.window.digest));
  }
  read.window.limit_chars = limit;
  cursors_.seal(read.window, request);
  return std::move(read.window);
}

// Some servers put the context before the match and then run out of room for it: they are asked for less of it.
Result<evidence::FieldWindow> RemotePort::match_inside(const port::FieldWindowRequest& request, std::int64_t match_chars,
                                                       const std::stop_token& stop) {
  port::FieldWindowRequest asked = request;
  const std::int64_t limit = std::max(request.window.limit_chars.value_or(limits::kWindowMaxChars), match_chars);
  const std::int64_t before = request.window.before_chars.value_or(limits::kContextDefaultChars);
  asked.window.limit_chars = limit;
  asked.window.before_chars = std::min(before, limit - match_chars);
  asked.window.after_chars = request.window.after_chars.value_or(limits::kContextDefaultChars);
  LADDER_TRY(WindowRead read, ask_window(asked, limit, stop));
  const auto& match = read.window.match;
  if (!match || match->end_chars > read.window.end_chars) {
    return exchange_.misunderstood(kOperation, "its window does not hold the match it tells of");
  }
  return std::move(read.window);
}

}  // namespace ladder::remote

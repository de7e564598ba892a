#include "mcp/render/window_answer.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "mcp/render/budget.h"
#include "mcp/render/calls.h"
#include "mcp/render/fence.h"
#include "model/handle.h"

#include <algorithm>
#include <cstdint>

namespace ladder::mcp {
namespace {

using api::FieldWindow;
using json::Writer;

constexpr int kEstimates = 6;  // after these the window is halved, which always terminates
constexpr std::size_t kUsualCursorBytes = 200;
constexpr std::size_t kUsualNamesBytes = 2'048;  // ids, cursors and URIs in addition to a window's text
constexpr std::int64_t kMaxLines = 800;          // some hosts truncate at 1,400 lines and lose the end
constexpr std::size_t kLeastWindowBytes = 512;   // below this, the URIs are dropped; the text contains their calls

void text_or_null(Writer& out, json::Name name, std::string_view value) {
  out.key(name);
  value.empty() ? out.null() : out.string(value);
}

std::string uri_of(const FieldWindow& window, model::WindowArguments arguments) {
  return std::string(model::kFieldWindowUriPrefix) +
         model::encode_field_window_handle({window.record, window.path, std::move(arguments)});
}

std::string cursor_uri(const WindowAnswer& answer, const std::string& cursor) {
  if (cursor.empty()) return {};
  model::WindowArguments arguments;
  arguments.cursor = cursor;
  arguments.limit_chars = answer.window.limit_chars;
  return uri_of(answer.window, std::move(arguments));
}

// Describes the window. Only this line contains the cursors; the digest is for programs, in structuredContent.
std::string header(const WindowAnswer& answer, std::int64_t escaped) {
  const FieldWindow& window = answer.window;
  Writer out;
  out.begin_object().member("id", model::format_record_id(window.record)).member("field_path", window.path);
  out.member("start_chars", window.start_chars).member("end_chars", window.end_chars).member("size_chars", window.size_chars);
  out.member("complete", window.complete());
  text_or_null(out, "next_cursor", window.next_cursor);
  text_or_null(out, "previous_cursor", window.previous_cursor);
  if (window.match) {
    out.key("match").begin_object().member("start_chars", window.match->start_chars);
    out.member("end_chars", window.match->end_chars).end_object();
  }
  if (!window.text_like) out.member("text_like", false).optional_member("digest", window.digest);
  out.optional_member("mime_type", window.mime_type);
  if (answer.requested_limit_chars) {
    out.member("limit_chars", window.limit_chars).member("requested_limit_chars", *answer.requested_limit_chars);
  }
  if (escaped > 0) out.member("escaped", escaped);
  out.end_object();
  return visible_json(out.text());
}

// Returns the call that continues after this window. It uses an offset, so that the cursors need not be repeated; a cursor is
// needed only to detect a changed text.
ToolCall next_call(const FieldWindow& window) {
  Writer args;
  args.begin_object().member("id", model::format_record_id(window.record)).member("field_path", window.path);
  args.member("offset_chars", window.end_chars);
  if (!window.match && window.limit_chars != limits::kWindowDefaultChars) args.member("limit_chars", window.limit_chars);
  return {"read_record_field", args.end_object().take()};
}

void append_continuations(std::string& text, const FieldWindow& window) {
  if (window.has_more()) text += format("next: {}\n", line_of(next_call(window)));
  if (window.next_match_cursor.empty()) return;
  text += format("next match: {}\n", line_of(cursor_call(window.record, window.path, window.next_match_cursor, 0)));
}

// Binary data is not readable as text: shows its type and how to get it.
std::string binary_text(const WindowAnswer& answer) {
  const FieldWindow& window = answer.window;
  const std::string size =
      window.size_bytes >= 0 ? format("{} bytes", window.size_bytes) : format("bytes in {} chars", window.size_chars);
  return format("{}\nbinary: the field holds {} as base64; they stay out of answers. resource={}", header(answer, 0), size,
                blob_uri(window.record, window.path));
}

std::string window_text(const Context& context, const WindowAnswer& answer) {
  const FieldWindow& window = answer.window;
  if (!window.text_like) return binary_text(answer);
  const Fenced fenced = fence(window.text, context.options.fence_key,
                              format("{}\n{}\n{}\n{}\n{}", model::format_record_id(window.record), window.path, window.digest,
                                     window.start_chars, window.end_chars));
  std::string text;
  text.reserve(fenced.block.size() + kUsualNamesBytes);
  text.append(header(answer, fenced.escaped)).append("\n");
  append_continuations(text, window);
  return text += fenced.block;
}

ToolResult window_result(const Context& context, const WindowAnswer& answer) {
  ToolResult result;
  result.text = window_text(context, answer);
  result.structured = window_json(answer, false);
  if (!answer.window.text_like) return result;
  result.meta = window_meta(answer);
  if (answer.window.text.size() < kLeastWindowBytes && !fits(context, result)) result.meta.clear();
  return result;
}

// A server that omits the connection means the one in the request.
void fill_in_identity(FieldWindow& window, const api::FieldWindowRequest& request) {
  if (window.record.connection_id.empty()) window.record.connection_id = request.record.connection_id;
  if (window.record.stream.empty()) window.record.stream = request.record.stream;
  if (window.record.record_id.empty()) window.record.record_id = request.record.record_id;
  if (window.path.empty()) window.path = request.field_path;
}

// Binary data is never shown, with any selector.
void hide_binary(FieldWindow& window) {
  window.text.clear();
  window.start_chars = window.end_chars = 0;
  window.next_cursor.clear();
  window.previous_cursor.clear();
  window.next_match_cursor.clear();
  window.match.reset();
}

// Returns at most half of what was read, regardless of estimates.
void halve(const FieldWindow& window, model::WindowArguments& smaller) {
  if (smaller.q && window.match) {
    const auto at_most = [](std::optional<std::int64_t>& chars, std::int64_t read) {
      chars = std::min(chars.value_or(read), read / 2);
    };
    at_most(smaller.before_chars, std::max<std::int64_t>(0, window.match->start_chars - window.start_chars));
    at_most(smaller.after_chars, std::max<std::int64_t>(0, window.end_chars - window.match->end_chars));
    return;
  }
  const std::int64_t half = std::max<std::int64_t>(1, (window.end_chars - window.start_chars) / 2);
  smaller.limit_chars = std::min(smaller.limit_chars.value_or(half), half);
}

// The window consists of one char or the match; the rest is names, which are never truncated.
std::unexpected<Error> too_long(const Context& context, const FieldWindow& window) {
  return fail(Code::kResourceLimit,
              format("a response has at most {} bytes, and the names of the record and field with {} chars need more",
                     context.options.result_bytes, window.end_chars - window.start_chars));
}

// Builds the response for a window, and finds a smaller window if it is too large.
class WindowFitter : public api::AnswerBudget {
 public:
  WindowFitter(const Context& context, const api::FieldWindowRequest& request, const model::WindowArguments& asked)
      : context_(context), request_(request), asking_(asked) {
    shown_.answer.asked = asked;
  }

  // Returns the arguments of a smaller window; nullopt if this one fits or cannot be smaller.
  std::optional<model::WindowArguments> smaller_window(const FieldWindow& read) override {
    WindowAnswer& answer = shown_.answer;
    answer.window = read;
    fill_in_identity(answer.window, request_);
    if (!answer.window.text_like) hide_binary(answer.window);
    ++tries_;
    fits_ = false;
    auto smaller = fewer_lines(answer.window, asking_, kMaxLines);
    if (!smaller || tries_ > kEstimates) {
      shown_.result = window_result(context_, answer);
      fits_ = mcp::fits(context_, shown_.result);
      if (fits_) return std::nullopt;
      const std::size_t excess = result_bytes(shown_.result) - context_.options.result_bytes;
      const std::int64_t chars = answer.window.end_chars - answer.window.start_chars;
      smaller = chars < shortest_ ? shorter_window(answer.window, asking_, excess) : std::nullopt;
      if (!smaller) return std::nullopt;
      if (tries_ > kEstimates) halve(answer.window, *smaller);
      shortest_ = chars;
    }
    if (!answer.requested_limit_chars) answer.requested_limit_chars = answer.window.limit_chars;
    asking_ = *smaller;
    return smaller;
  }

  bool fits() const { return fits_; }
  // Reports whether this is the previously checked window; a server that truncates windows checks each.
  bool has_seen(const FieldWindow& window) const {
    const FieldWindow& last = shown_.answer.window;
    return tries_ > 0 && last.start_chars == window.start_chars && last.next_cursor == window.next_cursor &&
           last.end_chars == window.end_chars;
  }
  ShownWindow take() { return std::move(shown_); }

 private:
  const Context& context_;
  const api::FieldWindowRequest& request_;
  model::WindowArguments asking_;
  ShownWindow shown_;
  bool fits_ = false;
  int tries_ = 0;
  std::int64_t shortest_ = INT64_MAX;  // of the windows that were too long
};

// Only the server knows which end of a window by cursor is kept; the number of chars is known here.
api::Keep kept_part(const model::WindowArguments& asked) { return asked.q ? api::Keep::kMatch : api::Keep::kStart; }

// A remote server may return a window that is too long. This calculates from it how much fits and requests that, to get cursors
// that continue from there. If the result is still too long, it is truncated here and continues by offset.
Status fit_remote_window(const Context& context, api::FieldWindowRequest reading, WindowFitter& fitter, FieldWindow& window) {
  auto smaller = fitter.smaller_window(window);
  if (!smaller) return {};
  const std::string cursor(std::max<std::size_t>(window.next_cursor.size(), kUsualCursorBytes), 'x');
  for (FieldWindow part = window; smaller; smaller = fitter.smaller_window(part)) {
    reading.window = *smaller;
    api::shorten(part, *smaller, kept_part(*smaller));
    part.next_cursor = cursor;
    if (part.start_chars > 0 || reading.window.cursor) part.previous_cursor = cursor;
  }
  LADDER_TRY(window, context.port.field_window(reading, context.stop));
  while ((smaller = fitter.smaller_window(window))) {
    api::shorten(window, *smaller, kept_part(*smaller));
    window.next_cursor.clear();
  }
  return {};
}

}  // namespace

std::string WindowAnswer::uri() const { return uri_of(window, asked); }
std::string WindowAnswer::next_uri() const { return cursor_uri(*this, window.next_cursor); }
std::string WindowAnswer::previous_uri() const { return cursor_uri(*this, window.previous_cursor); }

Result<ShownWindow> read_window(const Context& context, const api::FieldWindowRequest& request) {
  api::FieldWindowRequest reading = request;
  if (reading.window.q) {
    if (!reading.window.before_chars) reading.window.before_chars = limits::kContextDefaultChars;
    if (!reading.window.after_chars) reading.window.after_chars = limits::kContextDefaultChars;
  } else if (!reading.window.cursor) {
    if (!reading.window.offset_chars) reading.window.offset_chars = 0;
    if (!reading.window.limit_chars) reading.window.limit_chars = limits::kWindowDefaultChars;
  }
  WindowFitter fitter(context, request, reading.window);
  reading.budget = &fitter;
  LADDER_TRY(FieldWindow window, context.port.field_window(reading, context.stop));
  if (!fitter.has_seen(window)) {
    LADDER_CHECK(fit_remote_window(context, reading, fitter, window));
  }
  if (!fitter.fits()) return too_long(context, window);
  return fitter.take();
}

std::string window_json(const WindowAnswer& answer, bool with_resource) {
  const FieldWindow& window = answer.window;
  const model::RecordRef& record = window.record;
  Writer out;
  out.begin_object().key("record").begin_object().member("id", model::format_record_id(record));
  out.member("connection_id", record.connection_id).member("stream", record.stream).member("record_id", record.record_id);
  out.end_object().key("field").begin_object().member("path", window.path).optional_member("mime_type", window.mime_type);
  out.member("text_like", window.text_like).member("size_chars", window.size_chars).optional_member("digest", window.digest);
  out.end_object();
  if (with_resource) {
    out.key("resource").begin_object().member("uri", answer.uri());
    text_or_null(out, "next_uri", answer.next_uri());
    text_or_null(out, "previous_uri", answer.previous_uri());
    out.end_object();
  }
  out.key("window").begin_object().member("start_chars", window.start_chars).member("end_chars", window.end_chars);
  out.member("limit_chars", window.limit_chars).member("complete", window.complete());
  text_or_null(out, "next_cursor", window.next_cursor);
  text_or_null(out, "previous_cursor", window.previous_cursor);
  out.key("match");
  if (window.match) {
    out.begin_object().member("q", window.match->q).member("start_chars", window.match->start_chars);
    out.member("end_chars", window.match->end_chars).end_object();
  } else {
    out.null();
  }
  out.member("text", window.text).end_object().end_object();
  return out.take();
}

std::string window_meta(const WindowAnswer& answer) {
  const FieldWindow& window = answer.window;
  Writer out;
  out.begin_object().key("dev.pdpp/resource").begin_object().member("uri", answer.uri());
  text_or_null(out, "next_uri", answer.next_uri());
  text_or_null(out, "previous_uri", answer.previous_uri());
  out.member("mime_type", "text/plain").end_object();
  if (!window.next_match_cursor.empty()) {
    out.key("dev.pdpp/match").begin_object().member("next_cursor", window.next_match_cursor);
    write_call(out, "read", cursor_call(window.record, window.path, window.next_match_cursor, 0));
    out.end_object();
  }
  return out.end_object().take();
}

}  // namespace ladder::mcp

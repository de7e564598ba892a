// The next match of a query, for servers that find only the first one (contract 7.3) or give no cursor to the next. The adapter
// reads on, window by window, and looks for itself: the folding is ours (design D7), so what a server takes for a match is one
// here. One call looks through a bounded stretch; where that holds no match, it says so by a window without one, and its cursor
// goes on.
#include "base/casefold.h"
#include "base/limits.h"
#include "model/match_span.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "field window";
constexpr std::int64_t kMostReads = 64;  // a million chars: some seconds with a server far away, and no load for one nearby

model::WindowSelector query_of(const port::WindowCursor& cursor, const model::WindowArguments& asked) {
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

Result<evidence::FieldWindow> RemotePort::next_match(const port::FieldWindowRequest& request, const port::UnpackedCursor& opened,
                                                     const std::stop_token& stop) {
  const std::int64_t from = opened.cursor.anchor_chars;
  const model::WindowSelector query = query_of(opened.cursor, request.window);
  FoldedFinder finder(query.q);
  const std::int64_t needle = finder.needle_chars();
  std::int64_t at = from, size = 0;
  std::optional<std::int64_t> found;
  // However short a server's windows are, the next call begins after this one: a needle's length is always looked through.
  for (std::int64_t reads = 0; !found && (reads < kMostReads || at - from < needle); ++reads) {
    LADDER_TRY(const auto read, window_at(request, opened, at, limits::kWindowMaxChars, stop));
    found = finder.feed(read.text);
    at = read.end_chars;
    size = read.size_chars;
    if (at >= size) break;
  }
  if (!found && at >= size) return fail(Code::kQueryNotFound, "the text does not occur again in the field", "q");

  evidence::FieldWindow window;
  if (found) {
    const std::int64_t start = from + *found;
    const model::MatchSpan span = model::span_around(query, start, needle, size);
    LADDER_TRY(window, window_at(request, opened, span.start, span.end - span.start, stop));
    if (window.end_chars < start + needle) {
      return exchange_.misunderstood(kOperation, "its window ends before it was to");
    }
    window.limit_chars = span.limit;
    window.match = evidence::Match{query.q, start, start + needle};
    cursors_.seal_match(window, request, query, start + needle);
  } else {  // the end of what was looked through; a match may have begun there
    const std::int64_t limit = std::min(query.limit_chars.value_or(limits::kWindowDefaultChars), limits::kWindowDefaultChars);
    LADDER_TRY(window, window_at(request, opened, std::max(from, at - limit), std::min(limit, at - from), stop));
    window.limit_chars = limit;
    cursors_.seal_match(window, request, query, at - (needle - 1));
  }
  cursors_.seal(window, request);
  return window;
}

Result<evidence::FieldWindow> RemotePort::window_at(const port::FieldWindowRequest& request, const port::UnpackedCursor& opened,
                                                    std::int64_t offset, std::int64_t limit, const std::stop_token& stop) {
  port::FieldWindowRequest asked = request;
  asked.window = {};
  asked.window.offset_chars = offset;
  asked.window.limit_chars = limit;
  LADDER_TRY(WindowRead read, ask_window(asked, limit, stop));
  evidence::FieldWindow& window = read.window;
  if (!WindowCursors::same_content(opened, window)) {
    return std::unexpected(port::stale_cursor(opened.cursor, window.size_chars, window.digest));
  }
  const bool goes_on = window.end_chars > window.start_chars || window.start_chars == window.size_chars;
  if (window.start_chars != std::min(offset, window.size_chars) || !goes_on) {
    return exchange_.misunderstood(kOperation, "its window is not where it was asked for");
  }
  window.match.reset();
  window.next_cursor.clear();
  window.previous_cursor.clear();
  window.next_match_cursor.clear();
  return std::move(window);
}

}  // namespace ladder::remote

// Checks window arguments (PDPP "field windows") in the order most helpful to the caller.
#include "model/window_selector.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::model {
namespace {

std::unexpected<Error> refuse(std::string_view param, std::string message) {
  return fail(Code::kInvalidWindow, std::move(message), std::string(param));
}

std::unexpected<Error> exclusive(std::string_view param, std::string_view other) {
  return refuse(param, format("{} and {} cannot be combined; send only one of them", other, param));
}

Status check_exclusions(const WindowArguments& given) {
  if (given.cursor) {
    if (given.offset_chars) return exclusive("offset_chars", "cursor");
    if (given.q) return exclusive("q", "cursor");
    if (given.before_chars) return exclusive("before_chars", "cursor");
    if (given.after_chars) return exclusive("after_chars", "cursor");
  }
  if (given.q && given.offset_chars) return exclusive("offset_chars", "q");
  if (!given.q && given.before_chars) return refuse("before_chars", "before_chars needs q; add q or omit before_chars");
  if (!given.q && given.after_chars) return refuse("after_chars", "after_chars needs q; add q or omit after_chars");
  return {};
}

Status check_range(std::string_view param, const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most) {
  if (!value || (*value >= least && *value <= most)) return {};
  return refuse(param, format("{} is {}; it must be between {} and {}", param, *value, least, most));
}

Status check_query(std::string_view q) {
  if (q.empty()) return refuse("q", "q is empty; send the text to search for, or omit q");
  // The byte limit is checked first, so that the cost of an invalid argument is bounded too.
  const bool over = q.size() > 4 * limits::kQueryMaxChars;
  if (!over && !utf8::is_valid(q)) return refuse("q", "q is not valid UTF-8");
  if (over || utf8::count(q) > static_cast<std::int64_t>(limits::kQueryMaxChars)) {
    return refuse("q", format("q is longer than {} characters; search for a shorter part of the text", limits::kQueryMaxChars));
  }
  return {};
}

}  // namespace

std::int64_t WindowSelector::limit() const { return limit_chars.value_or(limits::kWindowDefaultChars); }

std::int64_t WindowSelector::query_limit(std::int64_t match_chars) const {
  const std::int64_t wanted = limit_chars ? std::max(*limit_chars, match_chars) : before_chars + match_chars + after_chars;
  return std::min(wanted, limits::kWindowMaxChars);
}

Result<WindowSelector> checked(const WindowArguments& arguments) {
  LADDER_CHECK(check_exclusions(arguments));
  if (arguments.offset_chars && *arguments.offset_chars < 0) {
    return refuse("offset_chars", format("offset_chars is {}; it must be 0 or more", *arguments.offset_chars));
  }
  LADDER_CHECK(check_range("limit_chars", arguments.limit_chars, 1, limits::kWindowMaxChars));
  LADDER_CHECK(check_range("before_chars", arguments.before_chars, 0, limits::kContextMaxChars));
  LADDER_CHECK(check_range("after_chars", arguments.after_chars, 0, limits::kContextMaxChars));

  WindowSelector selector;
  selector.limit_chars = arguments.limit_chars;
  if (arguments.cursor) {
    if (arguments.cursor->empty()) return refuse("cursor", "cursor is empty; send one that a window returned, or omit it");
    selector.kind = SelectorKind::kCursor;
    selector.cursor = *arguments.cursor;
  } else if (arguments.q) {
    LADDER_CHECK(check_query(*arguments.q));
    selector.kind = SelectorKind::kQuery;
    selector.q = *arguments.q;
    selector.before_chars = arguments.before_chars.value_or(limits::kContextDefaultChars);
    selector.after_chars = arguments.after_chars.value_or(limits::kContextDefaultChars);
  } else {
    selector.offset_chars = arguments.offset_chars.value_or(0);
  }
  return selector;
}

Result<std::int64_t> parse_window_integer(std::string_view text, std::string_view param) {
  if (const auto value = parse_number(text)) return *value;
  return refuse(param, format("{} is {}; it must be a whole number", param, in_quotes(text)));
}

MatchSpan span_around(const WindowSelector& query, std::int64_t match_start, std::int64_t match_chars, std::int64_t size_chars) {
  MatchSpan span;
  span.limit = query.query_limit(match_chars);
  const std::int64_t match_end = match_start + match_chars;
  span.start = std::max({std::int64_t{0}, match_start - query.before_chars, match_end - span.limit});
  span.end = query.limit_chars ? span.start + span.limit : std::min(match_end + query.after_chars, span.start + span.limit);
  span.end = std::min(span.end, size_chars);
  return span;
}

}  // namespace ladder::model

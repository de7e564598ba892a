// The requested window of a field, and its rules (PDPP "field windows"): `cursor` excludes offset_chars, q,
// before_chars and after_chars; `q` excludes offset_chars; before_chars and after_chars need `q`; without arguments the
// window has offset 0 and limit 4096.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

// The arguments as the client sent them. Every interface fills this and calls `checked`.
struct WindowArguments {
  std::optional<std::string> cursor = {}, q = {};
  std::optional<std::int64_t> offset_chars = {}, limit_chars = {}, before_chars = {}, after_chars = {};
};

enum class SelectorKind : std::uint8_t { kOffset, kCursor, kQuery };

struct WindowSelector {
  SelectorKind kind = SelectorKind::kOffset;
  std::int64_t offset_chars = 0;
  std::optional<std::int64_t> limit_chars;  // as requested; limit() adds the default
  std::string cursor;
  std::string q;
  std::int64_t before_chars = 0;
  std::int64_t after_chars = 0;

  std::int64_t limit() const;  // kWindowDefaultChars if not requested
  // The length of a query window for a match of `match_chars`: an explicit limit (at least the match), else before +
  // match + after, at most kWindowMaxChars.
  std::int64_t query_limit(std::int64_t match_chars) const;
};

// kInvalidWindow with `param` naming the argument: invalid combinations, values out of range (limit 1…16384, context
// 0…8192, offset ≥ 0), an empty q, a q over kQueryMaxChars or of invalid UTF-8, an empty cursor.
Result<WindowSelector> checked(const WindowArguments& arguments);

// An integer argument in text form (query strings, command line): ^-?\d+$ within 64 bits, else kInvalidWindow.
Result<std::int64_t> parse_window_integer(std::string_view text, std::string_view param);

// Positions the window of a query around its match, the same wherever the match was found.
struct MatchSpan {
  std::int64_t start = 0, end = 0;  // in chars of the field
  std::int64_t limit = 0;
};

// The match is always inside: if the limit is too small for the context before it, that context is shortened.
MatchSpan span_around(const WindowSelector& query, std::int64_t match_start, std::int64_t match_chars, std::int64_t size_chars);

}  // namespace ladder::model

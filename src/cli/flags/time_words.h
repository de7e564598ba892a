// Times as people type them: RFC 3339, a date, or a span from now: 12h, 30d, 2w, 1y.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

enum class Direction {
  kAhead,  // 30d is in thirty days: when something ends
  kAgo,    // 30d is thirty days ago: what is read
};

// 12h, 30d, 2w, 1y (365 days) in microseconds; nullopt for anything else.
std::optional<Instant> parse_span(std::string_view text);

// kInvalidRequest naming the flag, which comes without its dashes.
Result<Instant> parse_time_word(std::string_view text, std::string_view flag, Direction direction, Instant now);

// A time in a table: 2026-04-01, or 2026-04-01T12:30Z when it is not midnight.
std::string short_time(Instant instant);

}  // namespace ladder::cli

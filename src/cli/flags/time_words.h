// Parses times as users type them: RFC 3339, a date, or a span relative to now: 12h, 30d, 2w, 1y.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

enum class Direction {
  kAhead,  // 30d means thirty days from now, for expiry times
  kAgo,    // 30d means thirty days ago, for reads
};

// Returns the microseconds in 12h, 30d, 2w or 1y (365 days); nullopt for anything else.
std::optional<Instant> parse_span(std::string_view text);

// Returns kInvalidRequest with the name of the flag, which is passed without dashes.
Result<Instant> parse_time_word(std::string_view text, std::string_view flag, Direction direction, Instant now);

// Formats a time for a table: 2026-04-01, or 2026-04-01T12:30Z if it is not midnight.
std::string short_time(Instant instant);

}  // namespace ladder::cli

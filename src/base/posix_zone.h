// The POSIX TZ rule that ends a TZif file and holds for all later times, e.g. "CET-1CEST,M3.5.0,M10.5.0/3".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder {

struct PosixZone {
  // The day on which a change of clocks happens, in one of three notations.
  enum class Day : std::uint8_t { kMonthWeekDay, kJulianWithoutLeap, kDayOfYear };
  struct Change {
    Day form = Day::kMonthWeekDay;
    int month = 1, week = 1, weekday = 0;  // Mm.w.d
    int day = 0;                           // Jn (1…365) or n (0…365)
    std::int64_t seconds = 7200;           // local time of the change; may be negative or beyond a day
  };

  std::int64_t standard_offset = 0;  // seconds east of UTC
  std::optional<std::int64_t> summer_offset;
  Change summer_starts, summer_ends;

  static std::optional<PosixZone> parse(std::string_view text);
  std::int64_t offset_at(std::int64_t unix_seconds) const;
};

}  // namespace ladder

// Recurrence rules (RRULE, RFC 5545 section 3.3.10) as local times. A time zone turns these into instants afterwards, so that a
// meeting at 10:00 stays at 10:00 when clocks change.
#pragma once

#include "base/time/time.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::calendar {

// A local time, counted as if it were UTC.
using LocalTime = Instant;

struct RecurrenceRule {
  enum class Frequency : std::uint8_t { kDaily, kWeekly, kMonthly, kYearly };
  struct Weekday {
    int nth = 0;  // -1: the last one of the month or year; 0: every one
    int day = 0;  // 0 is Sunday
  };

  Frequency frequency = Frequency::kDaily;
  std::int64_t interval = 1;
  std::optional<std::int64_t> count;
  std::string until;  // as written; "" if there is none
  std::vector<Weekday> weekdays;
  std::vector<int> month_days, year_days, weeks, months, positions;  // negative numbers count from the end
  std::vector<int> hours, minutes, seconds;
  int week_start = 1;  // Monday

  // Returns nullopt if the rule is invalid, or repeats more often than daily.
  static std::optional<RecurrenceRule> parse(std::string_view text);
};

struct RecurrenceRange {
  LocalTime first, last;  // inclusive
};

// Calls `use` for the times of the rule in the range, in order, until it returns false. `start` (DTSTART) is the first time even
// if the rule does not contain it. Returns false if the walk was too long and was ended.
bool each_recurrence(const RecurrenceRule& rule, LocalTime start, RecurrenceRange range,
                     const std::function<bool(LocalTime)>& use);

}  // namespace ladder::imports::calendar

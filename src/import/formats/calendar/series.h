// The occurrences of a repeated event: its rules (RRULE), additional dates (RDATE) and exceptions (EXDATE, RECURRENCE-ID), in the
// zone of the event.
#pragma once

#include "import/formats/calendar/calendar_time.h"
#include "import/formats/calendar/recurrence.h"
#include "import/formats/content_lines.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ladder::imports::calendar {

// The occurrences of one series that become records. An endless daily event has 4,748 in the window.
inline constexpr std::size_t kMaxOccurrences = 5000;

// The times for which occurrences become records: ten years before `year` up to two years after it. An occurrence in the window
// of one year is the same record in that of another.
RecurrenceRange window_of(std::int64_t year);

struct Occurrence {
  CalendarTime start;
  std::optional<CalendarTime> end;
  std::string original;  // its start, written like DTSTART
};

struct Series {
  bool start_takes_place = true;  // false if DTSTART is left out or replaced
  std::vector<Occurrence> later;  // the others in the window
  std::string problem;            // a sentence without a period; "" if there is none
};

bool is_repeated(const Component& event);

// `replaced` contains the original starts of occurrences that have an entry of their own (RECURRENCE-ID).
Series expand(const Component& event, Zones& zones, RecurrenceRange window, const std::set<Instant>& replaced);

}  // namespace ladder::imports::calendar

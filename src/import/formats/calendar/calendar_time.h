// Times of calendars: dates, UTC, and local times in zones that are named by IANA, by Windows, or by the calendar's own
// VTIMEZONE.
#pragma once

#include "base/time/time.h"
#include "base/time/time_zone.h"
#include "import/formats/content_lines.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::calendar {

struct CalendarTime {
  std::string text;   // RFC 3339: a date, or a date-time in UTC; "" when the instant is not known
  std::string local;  // the local time as written, "2024-01-05T10:00:00"; "" for dates and UTC
  std::string zone;   // the zone of `local`: an IANA name where it is known, else as the calendar has it; "" when it has none
  std::optional<Instant> instant;
  bool is_date = false;
  std::string problem;  // a sentence without a full stop; "" when all is well
};

// The zones of one calendar. Loads each once.
class Zones {
 public:
  void define(const Component& vtimezone);       // its X-LIC-LOCATION
  void set_default(std::string_view zone_name);  // X-WR-TIMEZONE: what local times without a zone are in
  void forget();                                 // another calendar begins

  CalendarTime read(const ContentLine& line);                             // DTSTART, DUE, …
  CalendarTime read(std::string_view value, std::string_view zone_name);  // one value of several

 private:
  const TimeZone* find(const std::string& name);

  std::string default_;
  std::map<std::string, std::string> locations_;  // TZID → IANA name
  std::map<std::string, std::optional<TimeZone>> loaded_;
};

// The instant at which clocks in the zone show `local` (counted as if it were UTC): the first when they show it twice, and with
// the offset before the gap when they never do.
Instant from_local(const TimeZone& zone, Instant local);

// The IANA zone of a Windows zone ("W. Europe Standard Time"); "" when it is none.
std::string_view windows_zone(std::string_view name);

}  // namespace ladder::imports::calendar

// Calendar times: dates, UTC, and local times in zones named by IANA, by Windows, or by the calendar's own VTIMEZONE.
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
  std::string text;   // RFC 3339: a date, or a date-time in UTC; "" if the instant is unknown
  std::string local;  // the local time as written, "2024-01-05T10:00:00"; "" for dates and UTC
  std::string zone;   // the zone of `local`: its IANA name if known, otherwise as written; "" if it has none
  std::optional<Instant> instant;
  bool is_date = false;
  std::string problem;  // a sentence without a period; "" if there is no problem
};

// The zones of one calendar. Each zone is loaded once.
class Zones {
 public:
  void define(const Component& vtimezone);       // uses its X-LIC-LOCATION
  void set_default(std::string_view zone_name);  // X-WR-TIMEZONE: for local times without a zone
  void forget();                                 // another calendar starts

  CalendarTime read(const ContentLine& line);                             // DTSTART, DUE, …
  CalendarTime read(std::string_view value, std::string_view zone_name);  // one value of several
  CalendarTime at(Instant instant, std::string_view zone_name);           // what clocks show then; in UTC for an unknown zone

 private:
  const TimeZone* find(const std::string& name);

  std::string default_;
  std::map<std::string, std::string> locations_;  // TZID → IANA name
  std::map<std::string, std::optional<TimeZone>> loaded_;
};

// Returns the instant at which clocks in the zone show `local` (counted as if it were UTC). Uses the first one if it occurs
// twice, and the offset before the gap if it does not occur.
Instant from_local(const TimeZone& zone, Instant local);

// Returns the IANA zone of a Windows zone ("W. Europe Standard Time"); "" if unknown.
std::string_view windows_zone(std::string_view name);

}  // namespace ladder::imports::calendar

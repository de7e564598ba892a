// Converts the texts of exports to JSON values.
#pragma once

#include "base/time/time.h"
#include "base/time/time_zone.h"
#include "import/formats/flat/flat_plan.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::flat {

// Reads the dates that services write: RFC 3339 and its variants ("2020-11-30 23:30:03.69 UTC"), seconds, milliseconds and
// microseconds since 1970, "Wed Oct 10 20:19:24 +0000 2018", "05 Jun 2024", "Jun 5, 2024, 1:45 PM", and numeric dates in the
// given order ("DMY" or "MDY"). A time without a zone is UTC. nullopt for anything else.
std::optional<Instant> read_date(std::string_view text, std::string_view order);

// The time zones of a column, by IANA name, abbreviation ("PST") or offset ("GMT+01:00").
class ColumnZone {
 public:
  // Returns the instant at which clocks in the zone show `local` (counted as if it were UTC); nullopt if the zone is unknown.
  std::optional<Instant> instant(std::string_view zone, Instant local);

 private:
  std::string name_;  // of the zone that was loaded last
  std::optional<TimeZone> loaded_;
};

// Decides between day and month first for a column: call add() for its cells.
class DateOrder {
 public:
  void add(std::string_view cell);
  bool is_ambiguous() const { return !day_first_ && !month_first_; }
  std::string_view order() const { return day_first_ ? "DMY" : "MDY"; }

 private:
  bool day_first_ = false, month_first_ = false;
};

// Returns the JSON text of a value that is not empty, or why it cannot be read ("'x' is no date").
std::expected<std::string, std::string> json_of(std::string_view text, FieldType type, const ValuePlan& plan,
                                                std::string_view order);

}  // namespace ladder::imports::flat

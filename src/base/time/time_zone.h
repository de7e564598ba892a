// IANA time zones, read from the system's TZif files (RFC 8536) by our own small parser: bounded, fuzzed, no global
// state.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ladder {

inline constexpr std::string_view kZoneFolder = "/usr/share/zoneinfo";

// Immutable and cheap to copy; thread-safe.
class TimeZone {
 public:
  static TimeZone utc();
  // By IANA name, e.g. "Europe/Berlin". kInvalidRequest for an invalid name (no "..", no absolute path, known
  // characters only) or one that the system does not have; the message says to install tzdata when the whole folder is
  // missing.
  static Result<TimeZone> load(std::string_view name, std::string_view folder = kZoneFolder);
  // From the bytes of a TZif file, version 1 to 4. kInvalidRequest when malformed.
  static Result<TimeZone> parse(std::string_view tzif);

  const std::string& name() const { return name_; }
  // The offset at that instant, in seconds east of UTC.
  std::int64_t offset_at(Instant instant) const;

  struct Rules;

 private:
  std::string name_;
  std::shared_ptr<const Rules> rules_;  // null: UTC
};

// The POSIX TZ rule at the end of a TZif file, valid for all later times, e.g. "CET-1CEST,M3.5.0,M10.5.0/3".
struct PosixZone {
  // The day of a clock change, in one of three notations.
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

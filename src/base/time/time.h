// Instants and RFC 3339. An Instant is microseconds since 1970-01-01T00:00:00Z, leap seconds ignored.
#pragma once

#include "base/error/error.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder {

using Instant = std::int64_t;
inline constexpr Instant kSecond = 1'000'000;
inline constexpr Instant kDay = 86'400 * kSecond;

// RFC 3339 date-time ("2026-04-01T00:00:00Z", offsets, fractions of any length, lower-case t and z, a space for T) or a bare
// date (UTC midnight). Years 0000 to 9999. :60 counts as the next second. Anything else is nullopt.
std::optional<Instant> parse_time(std::string_view text);
// The same for a record's field, which may also be a local time without a zone ("2026-04-01T00:00:00", format
// date-time-local): it is ordered as if it were UTC.
std::optional<Instant> parse_field_time(std::string_view text);
std::string format_time(Instant instant);  // 2026-04-01T00:00:00.000Z, milliseconds

std::string format_local_time(Instant instant);  // 2026-04-01T00:00:00, a local time without a zone

// Clocks are injected, so that tests and non-interference checks can stop them.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
  static const Clock& system();
};

// A point on the steady clock after which an operation gives up.
class Deadline {
 public:
  static Deadline never() { return Deadline(std::chrono::steady_clock::time_point::max()); }
  static Deadline after(std::chrono::milliseconds span) { return Deadline(std::chrono::steady_clock::now() + span); }
  bool passed() const { return at_ != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= at_; }
  std::chrono::milliseconds left() const;  // zero if passed; a day for never()

 private:
  explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}
  std::chrono::steady_clock::time_point at_;
};

// The proleptic Gregorian calendar: converts days since 1970-01-01 to civil dates and back.
struct CivilDate {
  std::int64_t year = 1970;
  int month = 1;  // 1…12
  int day = 1;    // 1…31

  friend bool operator==(const CivilDate&, const CivilDate&) = default;
};

std::int64_t days_of(const CivilDate& date);
CivilDate civil_date(std::int64_t days);
int weekday(std::int64_t days);  // 0 is Sunday
bool is_leap_year(std::int64_t year);
int days_in_month(std::int64_t year, int month);

// Division that rounds down, for times before 1970.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

}  // namespace ladder

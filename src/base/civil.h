// The proleptic Gregorian calendar: days since 1970-01-01 and the civil dates they are.
#pragma once

#include <cstdint>

namespace ladder {

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

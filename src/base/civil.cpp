#include "base/civil.h"

namespace ladder {
namespace {

constexpr std::int64_t kDaysPer400Years = 146'097;
constexpr std::int64_t kDaysBefore1970 = 719'468;  // from 0000-03-01

// Both directions count years from March and in cycles of 400, so that the leap day is the last of its year and the months before
// it follow one pattern.
std::int64_t first_day_of_year(std::int64_t year_of_cycle) {
  return year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100;
}
std::int64_t first_day_of_month(std::int64_t months_after_march) { return (153 * months_after_march + 2) / 5; }

}  // namespace

bool is_leap_year(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

std::int64_t days_of(const CivilDate& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t cycle = floor_div(year, 400);
  const std::int64_t day_of_cycle =
      first_day_of_year(year - cycle * 400) + first_day_of_month((date.month + 9) % 12) + date.day - 1;
  return cycle * kDaysPer400Years + day_of_cycle - kDaysBefore1970;
}

CivilDate civil_date(std::int64_t days_since_1970) {
  const std::int64_t days = days_since_1970 + kDaysBefore1970;
  const std::int64_t cycle = floor_div(days, kDaysPer400Years);
  const std::int64_t day_of_cycle = days - cycle * kDaysPer400Years;
  std::int64_t year = day_of_cycle * 400 / kDaysPer400Years;  // by the average year: right or one too few
  if (year < 399 && first_day_of_year(year + 1) <= day_of_cycle) ++year;
  const std::int64_t day_of_year = day_of_cycle - first_day_of_year(year);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  const int calendar_month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  return {cycle * 400 + year + (calendar_month <= 2 ? 1 : 0), calendar_month,
          static_cast<int>(day_of_year - first_day_of_month(month) + 1)};
}

int weekday(std::int64_t days) {
  const std::int64_t since_thursday = days - floor_div(days, 7) * 7;  // 1970-01-01 was a Thursday
  return static_cast<int>((since_thursday + 4) % 7);
}

}  // namespace ladder

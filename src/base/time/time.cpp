// RFC 3339 to microseconds and back, in the proleptic Gregorian calendar.
#include "base/time/time.h"

#include <algorithm>

namespace ladder {
namespace {

constexpr Instant kFirstYear = -62'167'219'200 * kSecond;                         // 0000-01-01T00:00:00Z
constexpr Instant kLastMillisecond = 253'402'300'800 * kSecond - kSecond / 1000;  // 9999-12-31T23:59:59.999Z

// Parses the text from the front, piece by piece.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Parses exactly `digits` digits, with a value from `low` to `high`.
  std::optional<int> number(std::size_t digits, int low, int high) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!is_digit(rest_[i])) return std::nullopt;
      value = value * 10 + (rest_[i] - '0');
    }
    if (value < low || value > high) return std::nullopt;
    rest_.remove_prefix(digits);
    return value;
  }

  // Parses one or more digits after the point as microseconds; finer digits are dropped.
  std::optional<Instant> fraction() {
    Instant value = 0;
    Instant unit = kSecond / 10;
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    while (!rest_.empty() && is_digit(rest_.front())) {
      value += (rest_.front() - '0') * unit;
      unit /= 10;
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view rest_;
};

std::optional<Instant> read_date(Reader& in) {
  const auto year = in.number(4, 0, 9999);
  if (!year || !in.take('-')) return std::nullopt;
  const auto month = in.number(2, 1, 12);
  if (!month || !in.take('-')) return std::nullopt;
  const auto day = in.number(2, 1, days_in_month(*year, *month));
  if (!day) return std::nullopt;
  return days_of({*year, *month, *day}) * kDay;
}

std::optional<Instant> read_time_of_day(Reader& in) {
  const auto hour = in.number(2, 0, 23);
  if (!hour || !in.take(':')) return std::nullopt;
  const auto minute = in.number(2, 0, 59);
  if (!minute || !in.take(':')) return std::nullopt;
  const auto second = in.number(2, 0, 60);
  if (!second) return std::nullopt;
  Instant fraction = 0;
  if (in.take('.')) {
    const auto read = in.fraction();
    if (!read) return std::nullopt;
    fraction = *read;
  }
  return (*hour * 3600 + *minute * 60 + *second) * kSecond + fraction;
}

std::optional<Instant> read_offset(Reader& in) {
  if (in.take('Z') || in.take('z')) return 0;
  const bool east = in.take('+');
  if (!east && !in.take('-')) return std::nullopt;
  const auto hour = in.number(2, 0, 23);
  if (!hour || !in.take(':')) return std::nullopt;
  const auto minute = in.number(2, 0, 59);
  if (!minute) return std::nullopt;
  return (*hour * 3600 + *minute * 60) * (east ? kSecond : -kSecond);
}

std::optional<Instant> read_whole(std::string_view text, bool may_be_local) {
  Reader in(text);
  const auto date = read_date(in);
  if (!date) return std::nullopt;
  if (in.done()) return date;
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return std::nullopt;
  const auto time_of_day = read_time_of_day(in);
  if (!time_of_day) return std::nullopt;
  if (may_be_local && in.done()) return *date + *time_of_day;
  const auto offset = read_offset(in);
  if (!offset || !in.done()) return std::nullopt;
  return *date + *time_of_day - *offset;
}

// Formats digits without a format string: ten times as fast, and a page of records does it hundreds of times.
void put_digits(std::string& text, std::size_t at, std::size_t digits, std::int64_t value) {
  for (std::size_t i = at + digits; i-- > at; value /= 10) text[i] = static_cast<char>('0' + value % 10);
}

class SystemClock final : public Clock {
 public:
  Instant now() const override {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  }
};

}  // namespace

std::optional<Instant> parse_time(std::string_view text) { return read_whole(text, false); }

std::optional<Instant> parse_field_time(std::string_view text) { return read_whole(text, true); }

std::string format_time(Instant instant) {
  // The text has four digits for the year, but an offset can move an instant out of that range by a day.
  const Instant shown = std::clamp(instant, kFirstYear, kLastMillisecond);
  const std::int64_t days = floor_div(shown, kDay);
  const std::int64_t milliseconds = (shown - days * kDay) / (kSecond / 1000);
  const CivilDate date = civil_date(days);
  std::string text = "0000-00-00T00:00:00.000Z";
  put_digits(text, 0, 4, date.year);
  put_digits(text, 5, 2, date.month);
  put_digits(text, 8, 2, date.day);
  put_digits(text, 11, 2, milliseconds / 3'600'000);
  put_digits(text, 14, 2, milliseconds / 60'000 % 60);
  put_digits(text, 17, 2, milliseconds / 1000 % 60);
  put_digits(text, 20, 3, milliseconds % 1000);
  return text;
}

std::string format_local_time(Instant instant) {
  return format_time(instant).substr(0, std::string_view("0000-00-00T00:00:00").size());
}

const Clock& Clock::system() {
  static const SystemClock clock;
  return clock;
}

std::chrono::milliseconds Deadline::left() const {
  if (at_ == std::chrono::steady_clock::time_point::max()) return std::chrono::hours(24);
  const auto left = at_ - std::chrono::steady_clock::now();
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

namespace {

constexpr std::int64_t kDaysPer400Years = 146'097;
constexpr std::int64_t kDaysBefore1970 = 719'468;  // from 0000-03-01

// Both directions count years from March and in cycles of 400, so that the leap day is the last of its year and the
// months before it follow one pattern.
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
  std::int64_t year = day_of_cycle * 400 / kDaysPer400Years;  // an estimate from the average year: right or one too low
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

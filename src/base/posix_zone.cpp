#include "base/posix_zone.h"

#include "base/civil.h"

namespace ladder {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

// Takes the rule's text from the front.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // An abbreviation: letters, or anything plain between < and >.
  bool name() {
    std::size_t n = 0;
    if (take('<')) {
      while (n < rest_.size() && rest_[n] != '>') ++n;
      if (n == 0 || n == rest_.size()) return false;
      rest_.remove_prefix(n + 1);
      return true;
    }
    while (n < rest_.size() && ((rest_[n] | 0x20) >= 'a' && (rest_[n] | 0x20) <= 'z')) ++n;
    rest_.remove_prefix(n);
    return n >= 3;
  }

  std::optional<int> number(int low, int high) {
    int value = 0;
    std::size_t n = 0;
    while (n < rest_.size() && n < 4 && rest_[n] >= '0' && rest_[n] <= '9') value = value * 10 + (rest_[n++] - '0');
    if (n == 0 || value < low || value > high) return std::nullopt;
    rest_.remove_prefix(n);
    return value;
  }

  // [+-]hh[:mm[:ss]] in seconds.
  std::optional<std::int64_t> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    const auto hours = number(0, 167);
    if (!hours) return std::nullopt;
    std::int64_t seconds = *hours * std::int64_t{3600};
    for (std::int64_t unit : {60, 1}) {
      if (!take(':')) break;
      const auto part = number(0, 59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return negative ? -seconds : seconds;
  }

  std::optional<PosixZone::Change> change() {
    PosixZone::Change c;
    if (take('M')) {
      const auto month = number(1, 12);
      if (!month || !take('.')) return std::nullopt;
      const auto week = number(1, 5);
      if (!week || !take('.')) return std::nullopt;
      const auto day = number(0, 6);
      if (!day) return std::nullopt;
      c.month = *month;
      c.week = *week;
      c.weekday = *day;
    } else {
      c.form = take('J') ? PosixZone::Day::kJulianWithoutLeap : PosixZone::Day::kDayOfYear;
      const auto day = number(c.form == PosixZone::Day::kJulianWithoutLeap ? 1 : 0, 365);
      if (!day) return std::nullopt;
      c.day = *day;
    }
    if (take('/')) {
      const auto at = time();
      if (!at) return std::nullopt;
      c.seconds = *at;
    }
    return c;
  }

 private:
  std::string_view rest_;
};

std::int64_t day_of_change(const PosixZone::Change& c, std::int64_t year) {
  const std::int64_t new_year = days_of({year, 1, 1});
  switch (c.form) {
    case PosixZone::Day::kDayOfYear:
      return new_year + c.day;
    case PosixZone::Day::kJulianWithoutLeap:
      return new_year + c.day - 1 + (c.day >= 60 && is_leap_year(year) ? 1 : 0);
    case PosixZone::Day::kMonthWeekDay:
      break;
  }
  const std::int64_t first = days_of({year, c.month, 1});
  std::int64_t day = first + (c.weekday - weekday(first) + 7) % 7 + std::int64_t{c.week - 1} * 7;
  if (day >= first + days_in_month(year, c.month)) day -= 7;  // week 5 means the last
  return day;
}

}  // namespace

std::optional<PosixZone> PosixZone::parse(std::string_view text) {
  RuleReader reader(text);
  PosixZone zone;
  if (!reader.name()) return std::nullopt;
  const auto west = reader.time();
  if (!west) return std::nullopt;
  zone.standard_offset = -*west;  // POSIX counts westward
  if (reader.done()) return zone;
  if (!reader.name()) return std::nullopt;
  zone.summer_offset = zone.standard_offset + 3600;
  if (reader.peek() != ',') {
    const auto summer_west = reader.time();
    if (!summer_west) return std::nullopt;
    zone.summer_offset = -*summer_west;
  }
  if (!reader.take(',')) return std::nullopt;
  const auto starts = reader.change();
  if (!starts || !reader.take(',')) return std::nullopt;
  const auto ends = reader.change();
  if (!ends || !reader.done()) return std::nullopt;
  zone.summer_starts = *starts;
  zone.summer_ends = *ends;
  return zone;
}

std::int64_t PosixZone::offset_at(std::int64_t unix_seconds) const {
  if (!summer_offset) return standard_offset;
  const std::int64_t year = civil_date(floor_div(unix_seconds + standard_offset, kDaySeconds)).year;
  const std::int64_t starts = day_of_change(summer_starts, year) * kDaySeconds + summer_starts.seconds - standard_offset;
  const std::int64_t ends = day_of_change(summer_ends, year) * kDaySeconds + summer_ends.seconds - *summer_offset;
  const bool summer = starts < ends ? unix_seconds >= starts && unix_seconds < ends   // the north
                                    : unix_seconds >= starts || unix_seconds < ends;  // the south
  return summer ? *summer_offset : standard_offset;
}

}  // namespace ladder

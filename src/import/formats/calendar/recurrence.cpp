// Walks the periods of a rule (days, weeks, months, years), finds the days of each period that fit all its parts, and combines
// them with the times of day.
#include "import/formats/calendar/recurrence.h"

#include "base/text/number.h"
#include "import/formats/content_lines.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::calendar {
namespace {

// Days that one walk examines: 800 years of a yearly rule. Apple writes birthdays without a year as 1604.
constexpr std::int64_t kMaxDays = 300'000;
constexpr std::int64_t kMaxInterval = 10'000;
constexpr std::size_t kMaxValues = 400;  // of one part of a rule; a year has 366 days
constexpr std::array<std::string_view, 7> kWeekdays = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};

using Frequency = RecurrenceRule::Frequency;

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool read_numbers(std::string_view list, int from, int to, std::vector<int>& out) {
  for (const std::string& each : split_escaped(list, ',')) {
    std::string_view digits = trim(each);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto number = parse_number(digits);
    if (!number || *number < from || *number > to || (*number == 0 && from < 0) || out.size() >= kMaxValues) return false;
    out.push_back(static_cast<int>(*number));
  }
  return true;
}

std::optional<int> weekday_of(std::string_view name) {
  const auto found = std::ranges::find(kWeekdays, name);
  if (found == kWeekdays.end()) return std::nullopt;
  return static_cast<int>(found - kWeekdays.begin());
}

bool read_weekdays(std::string_view list, std::vector<RecurrenceRule::Weekday>& out) {
  for (const std::string& each : split_escaped(list, ',')) {
    const std::string_view word = trim(each);
    if (word.size() < 2 || out.size() >= kMaxValues) return false;
    const auto day = weekday_of(word.substr(word.size() - 2));
    std::vector<int> nth;
    if (!day || (word.size() > 2 && !read_numbers(word.substr(0, word.size() - 2), -53, 53, nth))) return false;
    out.push_back({nth.empty() ? 0 : nth.front(), *day});
  }
  return true;
}

bool read_frequency(std::string_view word, Frequency& out) {
  constexpr std::array<std::string_view, 4> kNames = {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
  const auto found = std::ranges::find(kNames, word);
  if (found == kNames.end()) return false;
  out = static_cast<Frequency>(found - kNames.begin());
  return true;
}

bool contains(const std::vector<int>& values, int value) { return std::ranges::find(values, value) != values.end(); }

// Returns true if a part of the rule names the value, counted from the start (1…count) or from the end.
bool names(const std::vector<int>& values, int value, int count) {
  return contains(values, value) || contains(values, value - count - 1);
}

int days_in_year(std::int64_t year) { return is_leap_year(year) ? 366 : 365; }

class Walk {
 public:
  Walk(const RecurrenceRule& rule, LocalTime start) : rule_(rule), start_(start) {
    const std::int64_t day = floor_div(start, kDay);
    const std::int64_t second = (start - day * kDay) / kSecond;
    const CivilDate date = civil_date(day);
    const bool no_day = rule.month_days.empty() && rule.weekdays.empty() && rule.year_days.empty();
    if (rule.frequency == Frequency::kWeekly && rule.weekdays.empty()) rule_.weekdays = {{0, weekday(day)}};
    if (rule.frequency == Frequency::kMonthly && no_day) rule_.month_days = {date.day};
    if (rule.frequency == Frequency::kYearly && no_day) {
      if (!rule.weeks.empty()) rule_.weekdays = {{0, weekday(day)}};
      else rule_.month_days = {date.day};
      if (rule.months.empty() && rule.weeks.empty()) rule_.months = {date.month};
    }
    for (const int hour : or_own(rule.hours, second / 3600)) {
      for (const int minute : or_own(rule.minutes, second / 60 % 60)) {
        for (const int own : or_own(rule.seconds, second % 60)) {
          times_.push_back(((std::int64_t{hour} * 60 + minute) * 60 + own) * kSecond);
        }
      }
    }
    std::ranges::sort(times_);
    times_.erase(std::ranges::unique(times_).begin(), times_.end());
  }

  bool run(RecurrenceRange range, const std::function<bool(LocalTime)>& use) {
    std::int64_t left = rule_.count.value_or(-1);
    const auto take = [&](LocalTime time) {
      if (time > range.last || left == 0) return false;
      --left;
      return time < range.first || use(time);
    };
    if (!take(start_)) return true;
    // Without a count, the periods before the range need not be examined.
    std::int64_t number = rule_.count ? 0 : periods_before(range.first);
    for (std::int64_t examined = 0; examined < kMaxDays; ++number) {
      const auto [first, last] = period(number);
      if (first * kDay > range.last) return true;
      examined += last - first + 1;
      for (const LocalTime time : times_in(first, last)) {
        if (time > start_ && !take(time)) return true;
      }
    }
    return false;
  }

 private:
  static std::vector<int> or_own(const std::vector<int>& values, std::int64_t own) {
    return values.empty() ? std::vector{static_cast<int>(own)} : values;
  }

  // Returns the number of periods that end before `time`.
  std::int64_t periods_before(LocalTime time) const {
    constexpr std::array<std::int64_t, 4> kShortest = {1, 7, 28, 365};
    const std::int64_t days = kShortest[static_cast<std::size_t>(rule_.frequency)] * rule_.interval;
    std::int64_t low = 0, high = std::max<std::int64_t>(time - start_, 0) / kDay / days + 2;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if ((period(middle).second + 1) * kDay <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // Returns the first and last day of a period; period 0 contains the start.
  std::pair<std::int64_t, std::int64_t> period(std::int64_t number) const {
    const std::int64_t day = floor_div(start_, kDay), step = number * rule_.interval;
    const CivilDate date = civil_date(day);
    switch (rule_.frequency) {
      case Frequency::kDaily:
        return {day + step, day + step};
      case Frequency::kWeekly: {
        const std::int64_t first = day - ((weekday(day) - rule_.week_start + 7) % 7) + 7 * step;
        return {first, first + 6};
      }
      case Frequency::kMonthly: {
        const std::int64_t month = date.year * 12 + date.month - 1 + step;
        const CivilDate first{floor_div(month, 12), static_cast<int>(month - floor_div(month, 12) * 12) + 1, 1};
        return {days_of(first), days_of(first) + days_in_month(first.year, first.month) - 1};
      }
      case Frequency::kYearly:
        break;
    }
    const std::int64_t first = days_of({date.year + step, 1, 1});
    return {first, first + days_in_year(date.year + step) - 1};
  }

  std::vector<LocalTime> times_in(std::int64_t first, std::int64_t last) const {
    std::vector<LocalTime> found;
    for (std::int64_t day = first; day <= last; ++day) {
      if (!fits(day)) continue;
      for (const std::int64_t time : times_) found.push_back(day * kDay + time);
    }
    if (rule_.positions.empty()) return found;
    std::vector<LocalTime> chosen;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (names(rule_.positions, static_cast<int>(i) + 1, static_cast<int>(found.size()))) chosen.push_back(found[i]);
    }
    return chosen;
  }

  bool fits(std::int64_t day) const {
    const CivilDate date = civil_date(day);
    if (!rule_.months.empty() && !contains(rule_.months, date.month)) return false;
    if (!rule_.month_days.empty() && !names(rule_.month_days, date.day, days_in_month(date.year, date.month))) return false;
    const int day_of_year = static_cast<int>(day - days_of({date.year, 1, 1})) + 1;
    if (!rule_.year_days.empty() && !names(rule_.year_days, day_of_year, days_in_year(date.year))) return false;
    if (!rule_.weeks.empty() && !fits_week(day)) return false;
    if (rule_.weekdays.empty()) return true;
    // "2MO" counts within the month, or in a yearly rule without months within the year.
    const bool in_year = rule_.frequency == Frequency::kYearly && rule_.months.empty();
    const bool counts = (in_year && rule_.weeks.empty()) || (!in_year && rule_.frequency >= Frequency::kMonthly);
    const int place = in_year ? day_of_year : date.day;
    const int length = in_year ? days_in_year(date.year) : days_in_month(date.year, date.month);
    return std::ranges::any_of(rule_.weekdays, [&](const RecurrenceRule::Weekday& each) {
      if (each.day != weekday(day)) return false;
      return each.nth == 0 || !counts || each.nth == (place - 1) / 7 + 1 || each.nth == -((length - place) / 7 + 1);
    });
  }

  // Week 1 is the first week with at least four days in the year.
  std::int64_t first_week(std::int64_t year) const {
    const std::int64_t fourth = days_of({year, 1, 4});
    return fourth - ((weekday(fourth) - rule_.week_start + 7) % 7);
  }

  bool fits_week(std::int64_t day) const {
    std::int64_t year = civil_date(day).year;
    if (day < first_week(year)) --year;
    else if (day >= first_week(year + 1)) ++year;
    const std::int64_t first = first_week(year);
    return names(rule_.weeks, static_cast<int>((day - first) / 7) + 1, static_cast<int>((first_week(year + 1) - first) / 7));
  }

  RecurrenceRule rule_;
  LocalTime start_;
  std::vector<std::int64_t> times_;  // of a day, in microseconds
};

}  // namespace

std::optional<RecurrenceRule> RecurrenceRule::parse(std::string_view text) {
  RecurrenceRule rule;
  bool has_frequency = false;
  for (const std::string& part : split_escaped(upper(text), ';')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      if (trim(part).empty()) continue;
      return std::nullopt;
    }
    const std::string_view name = trim(std::string_view(part).substr(0, equals));
    const std::string_view value = trim(std::string_view(part).substr(equals + 1));
    std::vector<int> one;
    bool good = true;
    if (name == "FREQ") good = has_frequency = read_frequency(value, rule.frequency);
    else if (name == "INTERVAL") good = read_numbers(value, 1, kMaxInterval, one) && one.size() == 1;
    else if (name == "COUNT") rule.count = parse_number(value), good = rule.count && *rule.count > 0;
    else if (name == "UNTIL") rule.until = value;
    else if (name == "BYDAY") good = read_weekdays(value, rule.weekdays);
    else if (name == "BYMONTHDAY") good = read_numbers(value, -31, 31, rule.month_days);
    else if (name == "BYYEARDAY") good = read_numbers(value, -366, 366, rule.year_days);
    else if (name == "BYWEEKNO") good = read_numbers(value, -53, 53, rule.weeks);
    else if (name == "BYMONTH") good = read_numbers(value, 1, 12, rule.months);
    else if (name == "BYSETPOS") good = read_numbers(value, -366, 366, rule.positions);
    else if (name == "BYHOUR") good = read_numbers(value, 0, 23, rule.hours);
    else if (name == "BYMINUTE") good = read_numbers(value, 0, 59, rule.minutes);
    else if (name == "BYSECOND") good = read_numbers(value, 0, 59, rule.seconds);
    else if (name == "WKST") good = weekday_of(value).has_value(), rule.week_start = weekday_of(value).value_or(1);
    else if (name == "RSCALE") good = value == "GREGORIAN";
    else if (name == "SKIP") good = value == "OMIT";
    if (!good) return std::nullopt;
    if (name == "INTERVAL") rule.interval = one.front();
  }
  // A day has at most a few times; more are an attack.
  constexpr std::size_t kMaxTimes = 100;
  const auto size = [](const std::vector<int>& values) { return std::max<std::size_t>(values.size(), 1); };
  if (!has_frequency || size(rule.hours) * size(rule.minutes) * size(rule.seconds) > kMaxTimes) return std::nullopt;
  return rule;
}

bool each_recurrence(const RecurrenceRule& rule, LocalTime start, RecurrenceRange range,
                     const std::function<bool(LocalTime)>& use) {
  return Walk(rule, start).run(range, use);
}

}  // namespace ladder::imports::calendar

#include "rs/time_buckets.h"

#include "base/civil.h"
#include "base/format.h"

namespace ladder::rs {
namespace {

using port::Granularity;

constexpr Instant kQuarterHour = 15 * 60 * kSecond;
constexpr std::int64_t kMinuteSeconds = 60, kHourSeconds = 3600, kDaySeconds = 86'400;

std::int64_t first_day_of(std::int64_t day, Granularity granularity) {
  if (granularity == Granularity::kDay) return day;
  if (granularity == Granularity::kWeek) return day - (weekday(day) + 6) % 7;  // back to Monday
  CivilDate date = civil_date(day);
  date.day = 1;
  if (granularity == Granularity::kQuarter) date.month = (date.month - 1) / 3 * 3 + 1;
  if (granularity == Granularity::kYear) date.month = 1;
  return days_of(date);
}

}  // namespace

std::int64_t TimeBuckets::bucket_of(Instant instant) const {
  const std::int64_t local = floor_div(instant, kSecond) + zone_.offset_at(instant);
  if (granularity_ == Granularity::kMinute) return floor_div(local, kMinuteSeconds) * kMinuteSeconds;
  if (granularity_ == Granularity::kHour) return floor_div(local, kHourSeconds) * kHourSeconds;
  return first_day_of(floor_div(local, kDaySeconds), granularity_) * kDaySeconds;
}

// Halves the stretch until each part lies in one bucket. A part of a quarter of an hour with both ends in one bucket does: clocks
// do not change twice that quickly.
void TimeBuckets::add_runs(Instant from, Instant to, std::vector<Run>& runs) const {
  const std::int64_t first = bucket_of(from), last = bucket_of(to - 1);
  const bool steady = zone_.offset_at(from) == zone_.offset_at(to - 1);
  if (first == last && (steady || to - from <= kQuarterHour)) {
    if (!runs.empty() && runs.back().bucket == first) {
      runs.back().to = to;
    } else {
      runs.push_back({from, to, first});
    }
    return;
  }
  const Instant middle = from + (to - from) / 2;
  add_runs(from, middle, runs);
  add_runs(middle, to, runs);
}

std::vector<TimeBuckets::Run> TimeBuckets::runs(Instant from, Instant to) const {
  std::vector<Run> runs;
  if (from < to) add_runs(from, to, runs);
  return runs;
}

std::string TimeBuckets::key_of(std::int64_t bucket) const {
  const std::int64_t day = floor_div(bucket, kDaySeconds);
  const CivilDate date = civil_date(day);
  std::string key = format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  if (granularity_ != Granularity::kMinute && granularity_ != Granularity::kHour) return key;
  const std::int64_t minutes = (bucket - day * kDaySeconds) / kMinuteSeconds;
  return key + format("T{:02}:{:02}", minutes / 60, minutes % 60);
}

}  // namespace ladder::rs

#include "server/read/time_buckets.h"

#include "base/text/format.h"
#include "base/time/time.h"
#include "store/index/field_index.h"
#include "store/index/order_key.h"

#include <algorithm>

namespace ladder::server {
namespace {

using api::Granularity;

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

// Halves the range until each part is in one bucket. If both ends of a part of at most 15 minutes are in one bucket,
// so is the part, because clocks don't change twice that quickly.
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

namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Returns the part of the range within one day.
TimeInterval in_day(const TimeInterval& stretch, std::int64_t day) {
  return {std::max(stretch.from, day * kDay), std::min(stretch.to, (day + 1) * kDay)};
}

// Decodes the time of a bound after `lead` bytes. A truncated bound is padded with zeros.
Instant time_of(std::string bound, std::size_t lead, Instant otherwise) {
  if (bound.size() <= lead) return otherwise;
  bound.resize(lead + store::kSortedTimeBytes, '\0');
  return store::get_sorted_time(std::string_view(bound).substr(lead));
}

}  // namespace

TimeInterval interval_of(const AccessPath& access_path) {
  const std::size_t lead = access_path.by == AccessPath::By::kOrder ? 1 : 0;  // the tag of an ordering key
  const TimeInterval whole;
  return {time_of(access_path.range.from, lead, whole.from), time_of(access_path.range.to, lead, whole.to)};
}

std::optional<TimeCounts> TimeCounts::of(store::Reader& reader, const ConnectionStream& place, std::string_view field) {
  const FieldIndex* index = place.index(field);
  if (!index || (index->kind != store::IndexKind::kTime && index->kind != store::IndexKind::kDays)) return std::nullopt;
  return TimeCounts(reader, place, *index);
}

Result<std::int64_t> TimeCounts::count_singly(const TimeInterval& stretch) {
  const store::IndexRange values{store::index_value(stretch.from), store::index_value(stretch.to)};
  if (index_.kind == store::IndexKind::kTime) return reader_->index_count(index_.no, values, kNoLimit);
  constexpr auto kTime = store::IndexKind::kTime;
  return reader_->order_count(stream_, {store::order_key_from(kTime, values.from), store::order_key_from(kTime, values.to)},
                              kNoLimit);
}

Result<std::vector<store::DayCount>> TimeCounts::days(const TimeInterval& stretch) {
  if (stretch.from >= stretch.to) return std::vector<store::DayCount>();
  const std::int64_t first = store::day_of(stretch.from), last = store::day_of(stretch.to - 1);
  LADDER_TRY(auto found, reader_->index_days(index_.no, first, last));
  for (store::DayCount& each : found) {
    const TimeInterval part = in_day(stretch, each.day);
    if (part.to - part.from == kDay || (each.day != first && each.day != last)) continue;
    LADDER_TRY(each.records, count_singly(part));
  }
  std::erase_if(found, [](const store::DayCount& each) { return each.records == 0; });
  return found;
}

Result<std::int64_t> TimeCounts::count(const TimeInterval& stretch) {
  LADDER_TRY(const auto found, days(stretch));
  std::int64_t sum = 0;
  for (const store::DayCount& each : found) sum += each.records;
  return sum;
}

}  // namespace ladder::server

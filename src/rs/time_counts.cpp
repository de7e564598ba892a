#include "rs/time_counts.h"

#include "store/field_index.h"
#include "store/order_key.h"
#include "store/sort_bytes.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// The part of a stretch that lies in one day.
TimeStretch in_day(const TimeStretch& stretch, std::int64_t day) {
  return {std::max(stretch.from, day * kDay), std::min(stretch.to, (day + 1) * kDay)};
}

// The time that a bound stands for; `lead` bytes stand before it. A bound may be cut short: what is missing counts as zeros.
Instant time_of(std::string bound, std::size_t lead, Instant otherwise) {
  if (bound.size() <= lead) return otherwise;
  bound.resize(lead + store::kSortedTimeBytes, '\0');
  return store::get_sorted_time(std::string_view(bound).substr(lead));
}

}  // namespace

TimeStretch stretch_of(const Narrowing& narrowing) {
  const std::size_t lead = narrowing.by == Narrowing::By::kOrder ? 1 : 0;  // the tag of an ordering key
  const TimeStretch whole;
  return {time_of(narrowing.range.from, lead, whole.from), time_of(narrowing.range.to, lead, whole.to)};
}

std::optional<TimeCounts> TimeCounts::of(store::Reader& reader, const StreamPlace& place, std::string_view field) {
  const FieldIndex* index = place.index(field);
  if (!index || (index->kind != store::IndexKind::kTime && index->kind != store::IndexKind::kDays)) return std::nullopt;
  return TimeCounts(reader, place, *index);
}

Result<std::int64_t> TimeCounts::count_singly(const TimeStretch& stretch) {
  const store::IndexRange values{store::index_value(stretch.from), store::index_value(stretch.to)};
  if (index_.kind == store::IndexKind::kTime) return reader_->index_count(index_.no, values, kNoLimit);
  constexpr auto kTime = store::IndexKind::kTime;
  return reader_->order_count(stream_, {store::order_key_from(kTime, values.from), store::order_key_from(kTime, values.to)},
                              kNoLimit);
}

Result<std::vector<store::DayCount>> TimeCounts::days(const TimeStretch& stretch) {
  if (stretch.from >= stretch.to) return std::vector<store::DayCount>();
  const std::int64_t first = store::day_of(stretch.from), last = store::day_of(stretch.to - 1);
  LADDER_TRY(auto found, reader_->index_days(index_.no, first, last));
  for (store::DayCount& each : found) {
    const TimeStretch part = in_day(stretch, each.day);
    if (part.to - part.from == kDay || (each.day != first && each.day != last)) continue;
    LADDER_TRY(each.records, count_singly(part));
  }
  std::erase_if(found, [](const store::DayCount& each) { return each.records == 0; });
  return found;
}

Result<std::int64_t> TimeCounts::count(const TimeStretch& stretch) {
  LADDER_TRY(const auto found, days(stretch));
  std::int64_t sum = 0;
  for (const store::DayCount& each : found) sum += each.records;
  return sum;
}

}  // namespace ladder::rs

#include "rs/counting.h"

#include "rs/time_counts.h"

#include <limits>

namespace ladder::rs {
namespace {

using By = Narrowing::By;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

Result<std::int64_t> count_exactly(store::Reader& reader, const StreamPlace& place, const Narrowing& narrowing) {
  if (narrowing.by == By::kAll) {
    LADDER_TRY(const auto counters, reader.counters(place.no));
    return counters.records;
  }
  if (!narrowing.range.to.empty() && narrowing.range.from >= narrowing.range.to) return 0;
  if (narrowing.kind == store::IndexKind::kTime && narrowing.one_value.empty()) {
    if (auto counts = TimeCounts::of(reader, place, narrowing.field)) {
      return counts->count(stretch_of(narrowing));
    }
  }
  if (narrowing.by == By::kIndex) return reader.index_count(narrowing.index, narrowing.range, kNoLimit);
  return reader.order_count(place.no, narrowing.range, kNoLimit);
}

}  // namespace

Result<std::int64_t> count_matches(store::Reader& reader, const Reach& reach, const RecordFilter& filter,
                                   const ScanBounds& bounds) {
  std::int64_t sum = 0;
  Reach left = reach;
  left.places.clear();
  for (const StreamPlace& place : reach.places) {
    const Narrowing narrowing = narrow(place, reach.granted, filter);
    if (!narrowing.exact) {
      left.places.push_back(place);
      continue;
    }
    LADDER_TRY(const std::int64_t count, count_exactly(reader, place, narrowing));
    sum += count;
  }
  LADDER_CHECK(each_match(reader, left, filter, bounds, [&](const StreamPlace&, const store::RecordRow&) -> Status {
    ++sum;
    return {};
  }));
  return sum;
}

}  // namespace ladder::rs

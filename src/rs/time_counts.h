// How many records of a stream have their time in a stretch: whole UTC days from the counters that are kept at write time, the
// rest from the index or the stream's order.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rs/narrowing.h"
#include "store/store.h"

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::rs {

struct TimeStretch {
  Instant from = std::numeric_limits<Instant>::min();  // inclusive
  Instant to = std::numeric_limits<Instant>::max();    // exclusive
};

// The times that a narrowing by time stands for.
TimeStretch stretch_of(const Narrowing& narrowing);

class TimeCounts {
 public:
  // nullopt when the field is not indexed by time, or not yet.
  static std::optional<TimeCounts> of(store::Reader& reader, const StreamPlace& place, std::string_view field);

  Result<std::int64_t> count(const TimeStretch& stretch);
  // Every day that has records in the stretch, the first and last perhaps in part.
  Result<std::vector<store::DayCount>> days(const TimeStretch& stretch);
  // Counted one by one: for less than a day.
  Result<std::int64_t> count_singly(const TimeStretch& stretch);

 private:
  TimeCounts(store::Reader& reader, const StreamPlace& place, const FieldIndex& index)
      : reader_(&reader), stream_(place.no), index_(index) {}

  store::Reader* reader_;
  store::StreamNo stream_;
  FieldIndex index_;
};

}  // namespace ladder::rs

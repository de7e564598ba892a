// Calendar buckets of a time zone: which one an instant lies in, where the next begins, and how its key is written
// (PDPP "aggregates").
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "base/time/time_zone.h"
#include "server/read/access_path.h"
#include "store/store.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

class TimeBuckets {
 public:
  TimeBuckets(TimeZone zone, api::Granularity granularity) : zone_(std::move(zone)), granularity_(granularity) {}

  // Local seconds since 1970-01-01T00:00 at which the instant's bucket begins: buckets compare and count by it.
  std::int64_t bucket_of(Instant instant) const;
  // A stretch of less than some days, cut where its buckets change; clocks that go back make a bucket come twice.
  struct Run {
    Instant from = 0, to = 0;
    std::int64_t bucket = 0;
  };
  std::vector<Run> runs(Instant from, Instant to) const;
  // YYYY-MM-DD for days and longer, YYYY-MM-DDTHH:MM below.
  std::string key_of(std::int64_t bucket) const;

 private:
  void add_runs(Instant from, Instant to, std::vector<Run>& runs) const;

  TimeZone zone_;
  api::Granularity granularity_;
};

// How many records of a stream have their time in a stretch: whole UTC days from the counters that are kept at write time, the
// rest from the index or the stream's order.
struct TimeStretch {
  Instant from = std::numeric_limits<Instant>::min();  // inclusive
  Instant to = std::numeric_limits<Instant>::max();    // exclusive
};

// The times that a access path by time stands for.
TimeStretch stretch_of(const AccessPath& access_path);

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

}  // namespace ladder::server

// Calendar buckets in a time zone: the bucket of an instant, bucket boundaries, and bucket keys (PDPP "aggregates").
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

  // Returns the local time at which the instant's bucket starts, in seconds since 1970-01-01T00:00. It identifies the
  // bucket.
  std::int64_t bucket_of(Instant instant) const;
  // A time range of a few days at most, split at bucket boundaries. A bucket can occur twice when clocks go back.
  struct Run {
    Instant from = 0, to = 0;
    std::int64_t bucket = 0;
  };
  std::vector<Run> runs(Instant from, Instant to) const;
  // Returns YYYY-MM-DD for days and longer, YYYY-MM-DDTHH:MM otherwise.
  std::string key_of(std::int64_t bucket) const;

 private:
  void add_runs(Instant from, Instant to, std::vector<Run>& runs) const;

  TimeZone zone_;
  api::Granularity granularity_;
};

// Counts the records of a stream in a time range: complete UTC days come from counters maintained at write time, the
// rest from the index or the stream's order.
struct TimeInterval {
  Instant from = std::numeric_limits<Instant>::min();  // inclusive
  Instant to = std::numeric_limits<Instant>::max();    // exclusive
};

// Returns the time range of an access path by time.
TimeInterval interval_of(const AccessPath& access_path);

class TimeCounts {
 public:
  // Returns nullopt if the field has no ready time index.
  static std::optional<TimeCounts> of(store::Reader& reader, const ConnectionStream& place, std::string_view field);

  Result<std::int64_t> count(const TimeInterval& stretch);
  // Returns every day with records in the range; the first and last may be partial.
  Result<std::vector<store::DayCount>> days(const TimeInterval& stretch);
  // Counts without the day counters, for ranges of less than a day.
  Result<std::int64_t> count_singly(const TimeInterval& stretch);

 private:
  TimeCounts(store::Reader& reader, const ConnectionStream& place, const FieldIndex& index)
      : reader_(&reader), stream_(place.no), index_(index) {}

  store::Reader* reader_;
  store::StreamNo stream_;
  FieldIndex index_;
};

}  // namespace ladder::server

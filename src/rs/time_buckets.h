// Calendar buckets of a time zone: which one an instant lies in, where the next begins, and how its key is written
// (contract 6.9).
#pragma once

#include "base/time.h"
#include "base/time_zone.h"
#include "port/aggregate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::rs {

class TimeBuckets {
 public:
  TimeBuckets(TimeZone zone, port::Granularity granularity) : zone_(std::move(zone)), granularity_(granularity) {}

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
  port::Granularity granularity_;
};

}  // namespace ladder::rs

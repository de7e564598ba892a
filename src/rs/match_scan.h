// Looking at every record that a request can match, in no particular order: what counts and aggregates do where no counter knows.
// Bounded by a deadline, by the caller's patience, and by the number of visible records looked at (design D5).
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rs/narrowing.h"
#include "rs/reach.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace ladder::rs {

// Every record of the stream where the request can match, visible or not; ends with the first error of `use`.
Status each_candidate(store::Reader& reader, const Reach& reach, store::StreamNo stream, const Narrowing& narrowing,
                      const std::function<Status(store::RecordRow&)>& use);

struct ScanBounds {
  std::stop_token stop;
  Deadline deadline;
  std::int64_t most_looked_at = 0;  // visible records, where no index leads to those that match

  Status check() const;  // kCancelled, kDeadline
};

// Every visible record that matches. kCancelled, kDeadline, or kResourceLimit when too many had to be looked at.
Status each_match(store::Reader& reader, const Reach& reach, const RecordFilter& filter, const ScanBounds& bounds,
                  const std::function<Status(const StreamPlace&, const store::RecordRow&)>& use);

}  // namespace ladder::rs

// Looking at every record that a request can match, in no particular order: what counts and aggregates do where no counter knows.
// Bounded by a deadline, by the caller's stop, and by the number of visible records looked at (design D5).
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/read_scope.h"
#include "server/read/access_path.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

namespace ladder::server {

// Every record of the stream where the request can match, visible or not; ends with the first error of `use`.
Status each_candidate(store::Reader& reader, const ReadScope& read_scope, store::StreamNo stream, const AccessPath& access_path,
                      const std::function<Status(store::RecordRow&)>& use);

struct ScanBounds {
  std::stop_token stop;
  Deadline deadline;
  std::int64_t most_looked_at = 0;  // visible records, where no index leads to those that match

  Status check() const;  // kCancelled, kDeadline
};

// Every visible record that matches. kCancelled, kDeadline, or kResourceLimit when too many had to be looked at.
Status each_match(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, const ScanBounds& bounds,
                  const std::function<Status(const StreamPlace&, const store::RecordRow&)>& use);

// How many records a request matches: from counters and indexes where they know, by looking where they do not.

// kResourceLimit when more records than bounds allow would have to be looked at; kDeadline, kCancelled.
Result<std::int64_t> count_matches(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                   const ScanBounds& bounds);

// Between which times the records lie that a request matches, by their declared time (PDPP "record lists", `meta.window`).
struct TimeEnds {
  std::optional<Instant> earliest, latest;  // none when no record has a time
};

// nullopt when the stream declares no time or the grant does not show it. Errors as each_match(). kLatest may leave the earliest
// out.
enum class Wanted : std::uint8_t { kBoth, kLatest };
Result<std::optional<TimeEnds>> time_ends(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                          const ScanBounds& bounds, Wanted wanted = Wanted::kBoth);

}  // namespace ladder::server

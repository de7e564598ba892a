// Scans all records that a request can match, in no particular order, for counts and aggregates without a counter.
// Bounded by a deadline, by the caller's stop, and by the number of visible records scanned (design D5).
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

// Calls `use` for every record in the access path, visible or not; stops at its first error.
Status each_candidate(store::Reader& reader, const ReadScope& read_scope, store::StreamNo stream, const AccessPath& access_path,
                      const std::function<Status(store::RecordRow&)>& use);

struct ScanBounds {
  std::stop_token stop;
  Deadline deadline;
  std::int64_t most_looked_at = 0;  // limit on visible records, if no index selects the matching ones

  Status check() const;  // kCancelled, kDeadline
};

// Calls `use` for every visible record that matches. kCancelled, kDeadline, or kResourceLimit if too many were
// scanned.
Status each_match(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter, const ScanBounds& bounds,
                  const std::function<Status(const ConnectionStream&, const store::RecordRow&)>& use);

// Counts the matching records, from counters and indexes if possible, and otherwise by scanning.

// Returns kResourceLimit if more records than `bounds` allows would be scanned; kDeadline, kCancelled.
Result<std::int64_t> count_matches(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                   const ScanBounds& bounds);

// The earliest and latest declared time of the matching records (PDPP "record lists", `meta.window`).
struct TimeEnds {
  std::optional<Instant> earliest, latest;  // nullopt if no record has a time
};

// Returns nullopt if the stream declares no time or the grant does not include it. Errors as in each_match(). With
// kLatest, the earliest time may be omitted.
enum class Wanted : std::uint8_t { kBoth, kLatest };
Result<std::optional<TimeEnds>> time_ends(store::Reader& reader, const ReadScope& read_scope, const RecordFilter& filter,
                                          const ScanBounds& bounds, Wanted wanted = Wanted::kBoth);

}  // namespace ladder::server

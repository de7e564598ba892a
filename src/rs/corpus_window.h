// Between which times the records lie that a request matches, by their declared time (contract 6.6, `meta.window`).
#pragma once

#include "rs/match_scan.h"

#include <optional>

namespace ladder::rs {

struct TimeEnds {
  std::optional<Instant> earliest, latest;  // none when no record has a time
};

// nullopt when the stream declares no time or the grant does not show it. Errors as each_match(). kLatest may leave the earliest
// out.
enum class Wanted : std::uint8_t { kBoth, kLatest };
Result<std::optional<TimeEnds>> time_ends(store::Reader& reader, const Reach& reach, const RecordFilter& filter,
                                          const ScanBounds& bounds, Wanted wanted = Wanted::kBoth);

}  // namespace ladder::rs

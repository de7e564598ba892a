// How many records a request matches: from counters and indexes where they know, by looking where they do not.
#pragma once

#include "rs/match_scan.h"

namespace ladder::rs {

// kResourceLimit when more records than bounds allow would have to be looked at; kDeadline, kCancelled.
Result<std::int64_t> count_matches(store::Reader& reader, const Reach& reach, const RecordFilter& filter,
                                   const ScanBounds& bounds);

}  // namespace ladder::rs

// What changed in a stream since a token was given out (design D20): one entry per record whose granted fields changed, the live
// values, tombstones for what is gone. A session of pages looks up to the horizon that its first page saw.
#pragma once

#include "crypto/seal.h"
#include "port/records.h"

namespace ladder::rs {

// changes_since, or the cursor of a changes session.
bool asks_for_changes(const crypto::Sealer& sealer, const port::RecordsRequest& request);

}  // namespace ladder::rs

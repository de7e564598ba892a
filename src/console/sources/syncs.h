// The section of the Sources page about accounts that Ladder reads by itself.
#pragma once

#include "console/parts.h"
#include "console/synced_sources.h"

#include <vector>

namespace ladder::console {

// Empty if there is none.
Writer syncs_section(const std::vector<SyncedSource>& sources, Instant now);

}  // namespace ladder::console

// Declares one source with three streams, once, for targets that ingest records.
#pragma once

#include "server/catalog/catalog.h"

#include <string_view>

namespace ladder::fuzz {

// Returns "notes" (one key, a time), "days" (a compound key) or "counts" (ordered by a number); any other name gives
// "notes". The reference stays valid until the program ends.
const server::ConnectionStream& target_named(std::string_view stream);

}  // namespace ladder::fuzz

// One source with three streams, declared once, for targets that take records in.
#pragma once

#include "server/catalog/catalog.h"

#include <string_view>

namespace ladder::fuzz {

// "notes" (one key, a time), "days" (a compound key) or "counts" (ordered by a number); another name gives "notes". Lives as long
// as the program.
const server::StreamPlace& place_named(std::string_view stream);

}  // namespace ladder::fuzz

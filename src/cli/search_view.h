// Hits for people: of each its title, author and time, the text that proves it with the matched words in bold, and the commands
// that go on.
#pragma once

#include "cli/console.h"
#include "port/search.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// `flags` end the commands that are printed.
std::string hits_text(const Console& console, const std::vector<port::SearchHit>& hits, std::string_view flags);

// A time as people read it: 2026-04-01, or 2026-04-01 12:30 with its zone; anything else as it stands.
std::string read_time(std::string_view text);

}  // namespace ladder::cli

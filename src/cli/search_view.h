// Hits for people: one a paragraph, with the text that proves it and the command that reads on.
#pragma once

#include "cli/console.h"
#include "port/search.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// `flags` end every command that is shown.
std::string hits_text(const Console& console, const std::vector<port::SearchHit>& hits, std::string_view flags);

}  // namespace ladder::cli

// Hits for people: one a paragraph, with the text that proves it and the command that reads on.
#pragma once

#include "cli/console.h"
#include "port/search.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// `titles` has one for every hit, empty where there is none; `flags` end every command that is shown.
std::string hits_text(const Console& console, const std::vector<port::SearchHit>& hits, const std::vector<std::string>& titles,
                      std::string_view flags);

}  // namespace ladder::cli

// Words that the pages and the command line share.
#pragma once

#include "base/time/time.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

// "16 November 2025".
std::string day_text(Instant at);
// A name at the beginning of a sentence (addresses stay as they are), and a label inside of one: "Your notes" becomes "your
// notes", "PDF files" stays.
std::string at_start(std::string_view text);
std::string inside(std::string_view label);
// "Firefox on Linux", of what a browser says of itself; "A browser" when it says nothing that is known.
std::string browser_name(std::string_view agent);
// "date, from and subject".
std::string listed(const std::vector<std::string>& names);

}  // namespace ladder::auth

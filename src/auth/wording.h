// Words that the pages and the command line share.
#pragma once

#include "base/time/time.h"
#include "grant/grant.h"

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
// "once, until 16 November 2025, for agent context": use, end and purpose of a grant. A purpose that PDPP does not define is
// shown as its URI.
std::string terms_text(const grant::Grant& grant);
// "date, from and subject".
std::string listed(const std::vector<std::string>& names);

}  // namespace ladder::auth

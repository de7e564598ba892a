// Text formatting shared by the pages and the command line.
#pragma once

#include "base/time/time.h"
#include "grant/grant.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

// Returns a date such as "16 November 2025".
std::string day_text(Instant at);
// at_start capitalizes a name at the start of a sentence, except URLs. inside adapts a label within a sentence: "Your
// notes" becomes "your notes", and "PDF files" is unchanged.
std::string at_start(std::string_view text);
std::string inside(std::string_view label);
// Returns "Firefox on Linux" from a User-Agent; "A browser" if it is unknown.
std::string browser_name(std::string_view agent);
// Describes the use, expiry and purpose of a grant: "once, until 16 November 2025, for training". The usual purpose is left
// out, and one not defined by PDPP is shown as its URI.
std::string terms_text(const grant::Grant& grant);
// Joins names: "date, from and subject".
std::string listed(const std::vector<std::string>& names);

}  // namespace ladder::auth

// Words that the pages and the command line share.
#pragma once

#include "base/time/time.h"

#include <string>
#include <vector>

namespace ladder::auth {

// "16 November 2025".
std::string day_text(Instant at);
// "date, from and subject".
std::string listed(const std::vector<std::string>& names);

}  // namespace ladder::auth

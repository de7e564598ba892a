// Records by source and year: a row of bars for each, and the same figures as a table.
#pragma once

#include "console/sources/holdings.h"
#include "html/html.h"

#include <vector>

namespace ladder::console {

html::Writer timeline(const std::vector<Holding>& holdings, int this_year);

}  // namespace ladder::console

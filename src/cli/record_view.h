// A page of records for people: a table as wide as the terminal, or a line a record (its id, a tab, its data).
#pragma once

#include "cli/console.h"
#include "port/records.h"

#include <string>
#include <vector>

namespace ladder::cli {

inline constexpr std::int64_t kShownChars = 200;  // of a value, on a terminal; what is longer is cut in the store

// `fields`: the columns that were asked for, in that order; empty: whatever the records have.
std::string records_text(const Console& console, const std::vector<port::Record>& records,
                         const std::vector<std::string>& fields);

}  // namespace ladder::cli

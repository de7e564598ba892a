// A page of records for people: a table as wide as the terminal, with short ids at its end; elsewhere a line a record (its id, a
// tab, its data).
#pragma once

#include "api/records.h"
#include "cli/terminal/console.h"
#include "cli/terminal/stream_roles.h"

#include <string>
#include <vector>

namespace ladder::cli {

inline constexpr std::int64_t kShownChars = 200;  // of a value, on a terminal; what is longer is cut in the store

// `fields`: the columns that were asked for, in that order; empty: title, author, time and text where the stream declares them,
// else whatever the records have.
std::string records_text(const Console& console, const std::vector<api::Record>& records, const std::vector<std::string>& fields,
                         const RolesByStream& roles);

}  // namespace ladder::cli

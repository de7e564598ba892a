// A declaration proposed from the data, for the owner to edit: `ladder source infer FILE`.
#pragma once

#include "base/result.h"

#include <string>

namespace ladder::imports {

// From the first rows of a CSV, TSV, JSON array or NDJSON file. Indented JSON that parse_declaration accepts. `encoding` is what
// the file is written in; "" to tell it from the bytes. kNotFound; kInvalidRequest when the file is no table, or there is no such
// encoding.
Result<std::string> infer_declaration(const std::string& path, const std::string& encoding = {});

}  // namespace ladder::imports

// Proposes a declaration from the data for the owner to edit: `ladder source infer FILE`.
#pragma once

#include "base/error/error.h"

#include <string>

namespace ladder::imports {

// Reads the first rows of a CSV, TSV, JSON array or NDJSON file. Returns indented JSON that parse_declaration accepts.
// `encoding` is the file's encoding; "" to detect it. Returns kNotFound if the file does not exist, kInvalidRequest if it is
// not a table or the encoding is unknown.
Result<std::string> infer_declaration(const std::string& path, const std::string& encoding = {});

}  // namespace ladder::imports

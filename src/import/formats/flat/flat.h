// Exports of flat files (CSV, JSON, JSON lines), each described by a data file in this folder.
#pragma once

#include "import/formats/format.h"

#include <memory>
#include <span>

namespace ladder::imports {

std::span<const Format* const> flat_formats();

// For tests: the format that a data file describes. Returns kInvalidRequest if it cannot be read.
Result<std::unique_ptr<Format>> make_flat_format(std::string_view json);

}  // namespace ladder::imports

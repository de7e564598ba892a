// The formats that ladder-extract reads, as it tells them itself: nothing here knows one.
#pragma once

#include "cli/completion.h"
#include "cli/context.h"

#include <vector>

namespace ladder::cli {

// Their names and what each reads; none when ladder-extract cannot be asked.
std::vector<Candidate> import_formats(const Context& context);

}  // namespace ladder::cli

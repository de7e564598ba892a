// Real values beside the declared fields, where they help to filter. Read under the same grant as any call; where they
// cannot be had, nothing is said.
#pragma once

#include "api/schema.h"
#include "mcp/tools/tools.h"

#include <map>
#include <string>
#include <vector>

namespace ladder::mcp {

// Field to up to three values that occur more than once, as JSON, the commonest first.
using SampleValues = std::map<std::string, std::vector<std::string>>;
// Of a view that names one stream of one source; none for any other.
SampleValues sample_values(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request);

}  // namespace ladder::mcp

// pdpp://blob/{handle}: the bytes that a field names or holds as base64, a bounded piece a read, and only when asked for.
#pragma once

#include "base/result.h"
#include "mcp/resources.h"

#include <string_view>

namespace ladder::mcp {

Result<ResourceRead> read_blob_resource(const Context& context, std::string_view uri, std::string_view handle);

}  // namespace ladder::mcp

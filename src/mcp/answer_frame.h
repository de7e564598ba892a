// What structuredContent of schema, query_records, aggregate and search ends with.
#pragma once

#include "json/writer.h"
#include "mcp/tool.h"

namespace ladder::mcp {

void write_origin(json::Writer& out, const Context& context);  // provider_url, request_id

}  // namespace ladder::mcp

// What structuredContent of schema, query_records, aggregate and search ends with.
#pragma once

#include "json/writer.h"
#include "mcp/tool.h"

#include <string_view>

namespace ladder::mcp {

// provider_url and request_id: the one that a server elsewhere gave, else the transport's.
void write_origin(json::Writer& out, const Context& context, std::string_view request_id);

}  // namespace ladder::mcp

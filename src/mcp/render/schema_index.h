// Renders the response of schema in both channels: an index of all streams, or one stream in detail (PDPP "tools"). For any
// grant, the response stays within its limit and names narrower calls (design D10).
#pragma once

#include "api/schema.h"
#include "json/writer.h"
#include "mcp/context.h"

#include <string>
#include <string_view>

namespace ladder::mcp {

// Renders every stream; for many streams only their names; for very many only the sources and how to narrow the call.
ToolResult schema_index(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request);

// Renders one stream name in every source that has it: all fields with their allowed uses, and a legend.
ToolResult schema_detail(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request);

// Completes the compact document after its connectors.
ToolResult schema_result(const Context& context, const api::SchemaRequest& request, std::string_view request_id,
                         json::Writer& out, std::string text);

}  // namespace ladder::mcp

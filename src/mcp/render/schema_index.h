// Renders the answer of schema in both channels: an index of every stream, or one stream in detail (PDPP "tools"). Whatever the
// grant holds, the answer stays within its bytes and names the narrower calls (design D10).
#pragma once

#include "api/schema.h"
#include "json/writer.h"
#include "mcp/tools/tools.h"

#include <string>
#include <string_view>

namespace ladder::mcp {

// Every stream by name; of many only the names; of very many only where they are, and how to ask.
ToolResult schema_index(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request);

// One stream name, in every source that has it: all fields with what may be asked of them, and a legend.
ToolResult schema_detail(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request);

// The compact document, its connectors written, brought to its end.
ToolResult schema_result(const Context& context, const api::SchemaRequest& request, std::string_view request_id,
                         json::Writer& out, std::string text);

}  // namespace ladder::mcp

// The six tools, one file each; tools.cpp puts them in order.
#pragma once

#include "mcp/tool.h"

#include <string_view>

namespace ladder::mcp {

Tool schema_tool();
Tool query_records_tool();
Tool aggregate_tool();
Tool search_tool();
Tool fetch_tool();
Tool read_record_field_tool();

struct ToolText {
  std::string_view name, title, description;
};
using CallFunction = ToolResult (*)(const Context&, const boost::json::object& arguments);

// A tool whose input schema is the same whoever asks.
Tool make_tool(const ToolText& text, std::string input_schema, std::string_view output_schema, CallFunction call);

// What several tools publish alike.
std::string with_filter(std::string_view schema_head, std::string_view schema_tail);  // the filter's schema between them
#define LADDER_EXPAND_LIMIT R"("expand_limit":{"type":"object","additionalProperties":{"type":"integer","minimum":1}})"
inline constexpr std::string_view kDataOutputSchema =
    R"({"type":"object","required":["data","provider_url","request_id"],"properties":{"data":{"type":"object"},)"
    R"("content_ladder":{"type":"object"},"provider_url":{"type":"string"},"request_id":{"type":["string","null"]}}})";

}  // namespace ladder::mcp

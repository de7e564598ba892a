// The six tools: their entries in tools/list and their calls. A call never throws and never fails as a protocol error: an error
// is a result with is_error and one text that a model can act on (design D9).
#pragma once

#include "mcp/context.h"

#include <boost/json/object.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::mcp {

struct Tool {
  std::string name, title, description;  // static texts
  std::string input_schema;              // flat (design D1)
  std::string full_input_schema;         // from the spec; the same if the spec has none
  std::string output_schema;
  std::function<ToolResult(const Context&, const boost::json::object& arguments)> call;
};

// Returns the tools in the fixed order of tools/list.
std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);

// The six tools, one file each; tools.cpp defines their order.
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

// Creates a tool with the same input schema for every caller.
Tool make_tool(const ToolText& text, std::string input_schema, std::string_view output_schema, CallFunction call);

// Schemas shared by several tools.
std::string with_filter(std::string_view schema_head, std::string_view schema_tail);  // inserts the filter's schema
#define LADDER_EXPAND_LIMIT R"("expand_limit":{"type":"object","additionalProperties":{"type":"integer","minimum":1}})"
inline constexpr std::string_view kDataOutputSchema =
    R"({"type":"object","required":["data","provider_url","request_id"],"properties":{"data":{"type":"object"},)"
    R"("content_ladder":{"type":"object"},"provider_url":{"type":"string"},"request_id":{"type":["string","null"]}}})";

}  // namespace ladder::mcp

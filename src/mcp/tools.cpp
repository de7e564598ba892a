#include "mcp/tool.h"
#include "mcp/tool_table.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {
namespace {

constexpr std::string_view kFilterSchema =
    R"({"type":"object","description":"Field to value, or to {gte|gt|lte|lt: value}; all must hold"})";

}  // namespace

std::span<const Tool> tools() {
  static const std::array<Tool, 6> table = {schema_tool(), query_records_tool(), aggregate_tool(),
                                            search_tool(), fetch_tool(),         read_record_field_tool()};
  return table;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

Tool make_tool(const ToolText& text, std::string input_schema, std::string_view output_schema, CallFunction call) {
  Tool tool;
  tool.name = text.name;
  tool.title = text.title;
  tool.description = text.description;
  tool.full_input_schema = input_schema;
  tool.input_schema = std::move(input_schema);
  tool.output_schema = output_schema;
  tool.call = call;
  return tool;
}

std::string with_filter(std::string_view schema_head, std::string_view schema_tail) {
  return std::string(schema_head).append(kFilterSchema).append(schema_tail);
}

}  // namespace ladder::mcp

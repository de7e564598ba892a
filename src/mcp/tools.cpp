#include "mcp/tool.h"
#include "mcp/tool_table.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {

std::span<const Tool> tools() {
  static const std::array<Tool, 6> table = {schema_tool(), query_records_tool(), aggregate_tool(),
                                            search_tool(), fetch_tool(),         read_record_field_tool()};
  return table;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

}  // namespace ladder::mcp

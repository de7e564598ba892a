#include "mcp/protocol/tool_registry.h"

#include <algorithm>

namespace ladder::mcp {

const Tool* ToolRegistry::find(std::string_view name) const {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

// The six tools and the resources, put together: the one place where the protocol and they meet.

ToolRegistry ladder_tool_registry() { return {tools(), resource_templates(), read_resource}; }

}  // namespace ladder::mcp

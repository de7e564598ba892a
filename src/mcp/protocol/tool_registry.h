// The tools and resources of a server, as the protocol code sees them.
#pragma once

#include "mcp/tools/resources.h"
#include "mcp/tools/tools.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <variant>

namespace ladder::mcp {

struct ToolRegistry {
  std::span<const Tool> tools;  // in the order of tools/list
  std::span<const ResourceTemplate> templates;
  std::function<std::variant<ResourceRead, ResourceFailure>(const Context&, std::string_view uri)> read;
  std::function<Result<std::string>(const Context&)> list;  // returns a JSON array of resources

  const Tool* find(std::string_view name) const {
    const auto found = std::ranges::find(tools, name, &Tool::name);
    return found == tools.end() ? nullptr : &*found;
  }
};

// Returns the six tools and the four kinds of resources. This is the only connection between the protocol code and the tools.
inline ToolRegistry ladder_tool_registry() { return {tools(), resource_templates(), read_resource, list_resources}; }

}  // namespace ladder::mcp

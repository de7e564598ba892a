// The tool registry: the tools and resources of a server. The protocol knows nothing else of them.
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
  std::function<Result<std::string>(const Context&)> list;  // a JSON array of resources

  const Tool* find(std::string_view name) const {
    const auto found = std::ranges::find(tools, name, &Tool::name);
    return found == tools.end() ? nullptr : &*found;
  }
};

// The six tools and the four kinds of resources, put together: the one place where the protocol and they meet.
inline ToolRegistry ladder_tool_registry() { return {tools(), resource_templates(), read_resource, list_resources}; }

}  // namespace ladder::mcp

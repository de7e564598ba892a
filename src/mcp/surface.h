// What a server offers: its tools and its resources. The protocol knows nothing else of them.
#pragma once

#include "mcp/resources.h"
#include "mcp/tool.h"

#include <functional>
#include <span>
#include <string_view>
#include <variant>

namespace ladder::mcp {

struct Surface {
  std::span<const Tool> tools;  // in the order of tools/list
  std::span<const ResourceTemplate> templates;
  std::function<std::variant<ResourceRead, ResourceFailure>(const Context&, std::string_view uri)> read;

  const Tool* find(std::string_view name) const;
};

Surface ladder_surface();  // the six tools and the four kinds of resources

}  // namespace ladder::mcp

// Lists that are the same for every request, serialized once when the server is created: tools, resource templates, the
// server's name, capabilities and instructions.
#pragma once

#include "mcp/protocol/tool_registry.h"
#include "mcp/protocol/versions.h"

#include <string>
#include <string_view>

namespace ladder::mcp {

// JSON values, ready to be inserted.
struct Lists {
  std::string tools;         // array
  std::string templates;     // array
  std::string prompts;       // array
  std::string server_info;   // object
  std::string capabilities;  // object; without subscriptions
  std::string subscribing;   // capabilities if a legacy client can subscribe
  std::string listening;     // capabilities if a modern client can listen
  std::string instructions;  // string
};

Lists make_lists(const Options& options, const ToolRegistry& registry);

// The instructions that a host passes to its model once. At most 2,048 UTF-16 units; the first 512 characters make sense alone,
// since some hosts show no more (design D10).
std::string_view instructions();

}  // namespace ladder::mcp

// Lists that are the same for every caller and every request, written once when the server is made: those of tools and of
// resource templates, what the server calls itself, what it can do and how it wants to be used.
#pragma once

#include "mcp/protocol/options.h"
#include "mcp/protocol/tool_registry.h"

#include <string>
#include <string_view>

namespace ladder::mcp {

// JSON values, ready to be spliced.
struct Lists {
  std::string tools;         // array
  std::string templates;     // array
  std::string prompts;       // array
  std::string server_info;   // object
  std::string capabilities;  // object; without subscriptions
  std::string subscribing;   // the same where a legacy client can subscribe
  std::string listening;     // the same where a modern client can listen
  std::string instructions;  // string
};

Lists make_lists(const Options& options, const ToolRegistry& registry);

// How the server wants to be used: a host gives this text to its model once. At most 2,048 UTF-16 units; the first 512 chars
// stand alone, since some hosts show no more (design D10).
std::string_view instructions();

}  // namespace ladder::mcp

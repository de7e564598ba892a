// What is the same for every caller and every request, written once when the server is made: the lists of tools and of resource
// templates, what the server calls itself, what it can do and how it wants to be used.
#pragma once

#include "mcp/options.h"
#include "mcp/surface.h"

#include <string>

namespace ladder::mcp {

// JSON values, ready to be spliced.
struct Lists {
  std::string tools;         // array
  std::string templates;     // array
  std::string prompts;       // array
  std::string server_info;   // object
  std::string capabilities;  // object
  std::string instructions;  // string
};

Lists make_lists(const Options& options, const Surface& surface);

}  // namespace ladder::mcp

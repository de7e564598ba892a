// The six tools: what tools/list says of them and what a call does. A call never throws and never fails as a protocol error: what
// goes wrong is a result with is_error, one text that a model can act on (design D9).
#pragma once

#include "mcp/options.h"
#include "port/resource_port.h"

#include <boost/json/object.hpp>

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

// One call's surroundings.
struct Context {
  port::ResourcePort& port;
  const Options& options;
  std::stop_token stop;
  std::string request_id;   // for structuredContent and the log; may be empty
  bool wants_uris = false;  // the host says that it reads resources: their URIs stand in _meta then, and only then
};

struct ToolResult {
  std::string text;                // the one text item
  std::string structured;          // structuredContent, a JSON object; empty on errors
  std::string meta;                // members of _meta, a JSON object; empty when there are none
  std::vector<std::string> links;  // resource_link items after the text, each a JSON object; none by default
  bool is_error = false;
  std::string outcome = "ok";  // for the log: ok, or the error's code
};

struct Tool {
  std::string name, title, description;  // static texts
  std::string input_schema;              // flat (design D1)
  std::string full_input_schema;         // as the seed has it; the same where the seed has none
  std::string output_schema;
  std::function<ToolResult(const Context&, const boost::json::object& arguments)> call;
};

// In the order of tools/list, always the same.
std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);

}  // namespace ladder::mcp

// The six tools: what tools/list says of them and what a call does. A call never throws and never fails as a protocol error: what
// goes wrong is a result with is_error, one text that a model can act on (design D9).
#pragma once

#include "api/resource_port.h"
#include "json/writer.h"
#include "mcp/protocol/options.h"

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
  api::ResourcePort& port;
  const Options& options;
  std::stop_token stop;
  std::string request_id;  // for structuredContent and the log; may be empty
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

// The six tools, one file each; tools.cpp puts them in order.
Tool schema_tool();
Tool query_records_tool();
Tool aggregate_tool();
Tool search_tool();
Tool fetch_tool();
Tool read_record_field_tool();

struct ToolText {
  std::string_view name, title, description;
};
using CallFunction = ToolResult (*)(const Context&, const boost::json::object& arguments);

// A tool whose input schema is the same whoever asks.
Tool make_tool(const ToolText& text, std::string input_schema, std::string_view output_schema, CallFunction call);

// Schemas that several tools publish alike.
std::string with_filter(std::string_view schema_head, std::string_view schema_tail);  // the filter's schema between them
#define LADDER_EXPAND_LIMIT R"("expand_limit":{"type":"object","additionalProperties":{"type":"integer","minimum":1}})"
inline constexpr std::string_view kDataOutputSchema =
    R"({"type":"object","required":["data","provider_url","request_id"],"properties":{"data":{"type":"object"},)"
    R"("content_ladder":{"type":"object"},"provider_url":{"type":"string"},"request_id":{"type":["string","null"]}}})";

// The last members of structuredContent of schema, query_records, aggregate and search.

// provider_url and request_id: the one that a server elsewhere gave, else the transport's.
void write_origin(json::Writer& out, const Context& context, std::string_view request_id);

}  // namespace ladder::mcp

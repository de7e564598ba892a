#include "mcp/tools/tools.h"

#include "base/text/format.h"
#include "mcp/render/budget.h"
#include "mcp/render/error_text.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {
namespace {

// One type list instead of alternatives, which some hosts refuse anywhere in an input schema (design D1).
constexpr std::string_view kFilterSchema =
    R"({"type":"object","additionalProperties":{)"
    R"("type":["string","number","boolean","object"],"properties":{"gte":{},"gt":{},"lte":{},"lt":{}},)"
    R"("additionalProperties":false}})";

// The last look at every answer: none is over its bound, whatever a tool or a server made of it (design D10).
ToolResult within_bound(const Context& context, ToolResult result) {
  if (fits(context, result)) return result;
  Error error{Code::kResourceLimit, format("an answer has at most {} bytes, and this one would have {}; ask for less of it",
                                           context.options.result_bytes, result_bytes(result))};
  if (result.is_error) {
    error.message = format("the call failed with {}, and its explanation is over {} bytes; ask for less", result.outcome,
                           context.options.result_bytes);
  }
  return error_result(error);
}

}  // namespace

std::span<const Tool> tools() {
  static const std::array<Tool, 6> table = {schema_tool(), query_records_tool(), aggregate_tool(),
                                            search_tool(), fetch_tool(),         read_record_field_tool()};
  return table;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::ranges::find(tools(), name, &Tool::name);
  return found == tools().end() ? nullptr : &*found;
}

Tool make_tool(const ToolText& text, std::string input_schema, std::string_view output_schema, CallFunction call) {
  Tool tool;
  tool.name = text.name;
  tool.title = text.title;
  tool.description = text.description;
  tool.full_input_schema = input_schema;
  tool.input_schema = std::move(input_schema);
  tool.output_schema = output_schema;
  tool.call = [call](const Context& context, const boost::json::object& given) {
    return within_bound(context, call(context, given));
  };
  return tool;
}

std::string with_filter(std::string_view schema_head, std::string_view schema_tail) {
  return std::string(schema_head).append(kFilterSchema).append(schema_tail);
}

void write_origin(json::Writer& out, const Context& context, std::string_view request_id) {
  out.member("provider_url", context.options.provider_url).key("request_id");
  if (request_id.empty()) request_id = context.request_id;
  request_id.empty() ? out.null() : out.string(request_id);
}

}  // namespace ladder::mcp

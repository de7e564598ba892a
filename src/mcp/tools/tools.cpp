#include "mcp/tools/tools.h"

#include "api/missing_rights.h"
#include "base/text/format.h"
#include "mcp/render/budget.h"
#include "mcp/render/error_text.h"
#include "mcp/render/fence.h"
#include "mcp/tools/property_texts.h"
#include "model/record_id.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {
namespace {

// One type list instead of alternatives, which some hosts reject anywhere in an input schema (design D1).
constexpr std::string_view kFilterSchema =
    R"({"type":"object","additionalProperties":{)"
    R"("type":["string","number","boolean","object"],"properties":{"gte":{},"gt":{},"lte":{},"lt":{}},)"
    R"("additionalProperties":false}})";

// The final check of every response: it must not exceed its limit, regardless of the tool or server (design D10).
ToolResult within_bound(const Context& context, ToolResult result) {
  if (fits(context, result)) return result;
  Error error{Code::kResourceLimit, format("a response has at most {} bytes, and this one would have {}; ask for less",
                                           context.options.result_bytes, result_bytes(result))};
  if (result.is_error) {
    error.message = format("the call failed with {}, and its explanation is over {} bytes; ask for less", result.outcome,
                           context.options.result_bytes);
  }
  return error_result(error);
}

bool lacks_rights(const ToolResult& result) {
  return result.is_error &&
         (result.outcome == info(Code::kFieldNotGranted).wire || result.outcome == info(Code::kStreamNotAllowed).wire);
}

// Returns the field names in all arguments that may contain them.
std::vector<std::string> named_fields(const boost::json::object& given) {
  std::vector<std::string> names;
  const auto add = [&](const boost::json::value& value) {
    const auto* text = value.if_string();
    if (text == nullptr) return;
    std::string_view path(text->data(), text->size());
    if (path.starts_with('/')) path.remove_prefix(1);  // a JSON Pointer
    names.emplace_back(path.substr(0, path.find_first_of("/.[")));
  };
  for (const char* name : {"fields", "field", "field_path", "sort", "group_by", "group_by_time"}) {
    const auto* value = given.if_contains(name);
    if (value == nullptr) continue;
    add(*value);
    if (const auto* list = value->if_array()) std::ranges::for_each(*list, add);
  }
  const auto* filter = given.if_contains("filter");
  const auto* conditions = filter ? filter->if_object() : nullptr;
  if (conditions) {
    for (const auto& condition : *conditions) names.emplace_back(condition.key());
  }
  return names;
}

std::string named_stream(const boost::json::object& given) {
  if (const auto* stream = given.if_contains("stream"); stream != nullptr && stream->is_string()) {
    return {stream->get_string().data(), stream->get_string().size()};
  }
  const auto* id = given.if_contains("id");
  if (id == nullptr || !id->is_string()) return {};
  const auto record = model::parse_record_id({id->get_string().data(), id->get_string().size()});
  return record ? record->stream : std::string();
}

// An insufficient-access error lists the missing access in the form of an authorization request.
ToolResult with_missing(const Context& context, const boost::json::object& given, ToolResult result) {
  if (!lacks_rights(result)) return result;
  const std::string stream = named_stream(given);
  if (stream.empty()) return result;
  api::SchemaRequest request;
  request.counted = false;
  const auto view = context.port.schema(request, context.stop);
  if (!view) return result;
  const std::string missing = api::missing_rights(*view, stream, named_fields(given));
  const auto end = result.text.find("}}\n");
  if (missing.empty() || end == std::string::npos) return result;
  result.text.insert(end, ",\"authorization_details\":" + visible_json(missing));
  result.text += " The owner can be asked for authorization_details.";
  return result;
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
  tool.input_schema = with_property_texts(text.name, std::move(input_schema));
  tool.full_input_schema = tool.input_schema;
  tool.output_schema = output_schema;
  tool.call = [call](const Context& context, const boost::json::object& given) {
    return within_bound(context, with_missing(context, given, call(context, given)));
  };
  return tool;
}

std::string with_filter(std::string_view schema_head, std::string_view schema_tail) {
  return std::string(schema_head).append(kFilterSchema).append(schema_tail);
}

}  // namespace ladder::mcp

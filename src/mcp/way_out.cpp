#include "mcp/way_out.h"

namespace ladder::mcp {
namespace {

ToolCall within(std::string_view tool, std::string_view stream, std::string_view connection_id) {
  json::Writer args;
  args.begin_object().optional_member("stream", stream).optional_member("connection_id", connection_id).end_object();
  return {std::string(tool), args.take()};
}

// A view or filter that the stream does not declare; other invalid requests say themselves what to write.
bool asks_undeclared(const Error& error) { return error.param == "view" || error.param.starts_with("filter"); }

}  // namespace

ToolCall schema_call(std::string_view stream, std::string_view connection_id) { return within("schema", stream, connection_id); }

std::optional<ToolCall> way_out(const Error& error, std::string_view stream, std::string_view connection_id) {
  switch (error.code) {
    case Code::kStreamNotAllowed:
    case Code::kStreamNotDeclared:
    case Code::kConnectionNotFound:
      return schema_call({}, {});
    case Code::kUnknownField:
    case Code::kFieldNotGranted:
    case Code::kInvalidSort:
    case Code::kInvalidExpand:
      return schema_call(stream, connection_id);
    case Code::kInvalidRequest:
      if (asks_undeclared(error)) return schema_call(stream, connection_id);
      return std::nullopt;
    case Code::kNotFound:
      if (!stream.empty()) return within("query_records", stream, connection_id);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace ladder::mcp

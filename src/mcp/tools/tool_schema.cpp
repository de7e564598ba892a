// schema: shows what can be read. Without a stream, an index of everything granted; with one, its fields and their allowed
// uses.
#include "mcp/render/error_text.h"
#include "mcp/render/schema_index.h"
#include "mcp/tools/arguments.h"
#include "mcp/tools/tools.h"

#include <array>

namespace ladder::mcp {
namespace {

constexpr std::string_view kDescription =
    "List the email, chat, calendar, contacts, notes and file sources that this grant can read, with their streams "
    "and how much is in them. With stream: its fields with types, sample values and what each may be asked, relations "
    "and views. Take stream, field and connection_id values from here.";

constexpr std::string_view kInputSchema =
    R"({"type":"object","properties":{"stream":{"type":"string"},"connection_id":{"type":"string"},)"
    R"("detail":{"type":"string","enum":["compact","full"]}},"additionalProperties":false})";

constexpr std::array<std::string_view, 2> kDetails = {"compact", "full"};

// Some servers return the complete schema; this selects the requested part.
void narrow(api::SchemaView& view, const api::SchemaRequest& request) {
  for (api::SourceView& source : view.sources) {
    std::erase_if(source.streams, [&](api::StreamView& stream) {
      if (!request.stream.empty() && stream.name != request.stream) return true;
      if (request.connection_id.empty()) return false;
      std::erase_if(stream.connections,
                    [&](const api::ConnectionView& connection) { return connection.connection_id != request.connection_id; });
      return stream.connections.empty();
    });
  }
  std::erase_if(view.sources, [](const api::SourceView& source) { return source.streams.empty(); });
}

ToolResult call(const Context& context, const boost::json::object& given) {
  Arguments arguments(given, {"stream", "connection_id", "detail"});
  api::SchemaRequest request;
  request.stream = arguments.stream("stream");
  request.connection_id = arguments.name("connection_id");
  request.full_detail = arguments.choice("detail", kDetails) == "full";
  if (const Status status = arguments.status(); !status) return error_result(status.error());
  auto view = context.port.schema(request, context.stop);
  if (!view) {
    Error error = std::move(view.error());
    if (error.code == Code::kAmbiguousConnection && request.full_detail) error.code = Code::kAmbiguousSchemaDetail;
    const bool lost = error.code == Code::kConnectionNotFound || error.code == Code::kStreamNotAllowed;
    return error_result(error, lost ? std::optional(ToolCall{"schema", "{}"}) : std::nullopt);
  }
  narrow(*view, request);
  return request.stream.empty() ? schema_index(context, *view, request) : schema_detail(context, *view, request);
}

}  // namespace

Tool schema_tool() {
  return make_tool({"schema", "List data sources", kDescription}, std::string(kInputSchema), kDataOutputSchema, call);
}

}  // namespace ladder::mcp

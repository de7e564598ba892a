#include "mcp/schema_answer.h"

#include "mcp/answer_frame.h"
#include "port/render_parts.h"
#include "port/target.h"

namespace ladder::mcp {

ToolResult schema_result(const Context& context, const port::SchemaRequest& request, std::string_view request_id,
                         json::Writer& out, std::string text) {
  const std::string self = port::target_of(request, true);
  port::write_ending(out, {.self = self});
  out.end_object();
  write_origin(out, context, request_id);
  ToolResult result;
  result.structured = out.end_object().take();
  result.text = std::move(text);
  return result;
}

}  // namespace ladder::mcp

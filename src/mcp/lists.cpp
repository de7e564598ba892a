#include "mcp/lists.h"

#include "json/writer.h"
#include "mcp/instructions.h"
#include "mcp/prompts.h"

namespace ladder::mcp {
namespace {

std::string tools_array(const Options& options, const Surface& surface) {
  json::Writer out;
  out.begin_array();
  for (const Tool& tool : surface.tools) {
    const bool full = options.input_schemas == InputSchemas::kFull && !tool.full_input_schema.empty();
    out.begin_object().member("name", tool.name).member("title", tool.title).member("description", tool.description);
    out.key("inputSchema").raw(full ? tool.full_input_schema : tool.input_schema).key("outputSchema").raw(tool.output_schema);
    // The defaults say the opposite of three of these, so all four are told.
    out.key("annotations").begin_object().member("readOnlyHint", true).member("destructiveHint", false);
    out.member("idempotentHint", true).member("openWorldHint", false).end_object().end_object();
  }
  out.end_array();
  return out.take();
}

std::string templates_array(const Surface& surface) {
  json::Writer out;
  out.begin_array();
  for (const ResourceTemplate& one : surface.templates) {
    out.begin_object().member("uriTemplate", one.uri_template).member("name", one.name).optional_member("title", one.title);
    out.optional_member("description", one.description).optional_member("mimeType", one.mime_type).end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace

Lists make_lists(const Options& options, const Surface& surface) {
  json::Writer info, text;
  info.begin_object().member("name", options.server_name).member("title", "Ladder").member("version", options.version);
  info.end_object();
  text.string(options.notice.empty() ? std::string(instructions()) : options.notice + "\n" + std::string(instructions()));
  // None says listChanged or subscribe: nothing here changes while a client is connected, and nothing is announced.
  return {tools_array(options, surface),
          templates_array(surface),
          prompts_array(),
          info.take(),
          R"({"tools":{},"resources":{},"prompts":{},"completions":{}})",
          text.take()};
}

}  // namespace ladder::mcp

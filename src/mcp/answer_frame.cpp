#include "mcp/answer_frame.h"

namespace ladder::mcp {

void write_origin(json::Writer& out, const Context& context, std::string_view request_id) {
  out.member("provider_url", context.options.provider_url).key("request_id");
  if (request_id.empty()) request_id = context.request_id;
  request_id.empty() ? out.null() : out.string(request_id);
}

}  // namespace ladder::mcp

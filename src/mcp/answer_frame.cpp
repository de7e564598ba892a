#include "mcp/answer_frame.h"

namespace ladder::mcp {

void write_origin(json::Writer& out, const Context& context) {
  out.member("provider_url", context.options.provider_url).key("request_id");
  context.request_id.empty() ? out.null() : out.string(context.request_id);
}

}  // namespace ladder::mcp

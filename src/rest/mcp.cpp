// Serves the Model Context Protocol: checks the client's token. mcp/http/ does the rest.
#include "base/text/format.h"
#include "http/message/message.h"
#include "mcp/http/posted_message.h"
#include "mcp/http/transport.h"
#include "rest/handlers.h"
#include "server/window/field_windows.h"

namespace ladder::rest {

bool McpHandlers::is_short_call(const http::Request& request) const {
  const mcp::Incoming* const known = mcp::known_message(request);
  const auto call = known ? mcp::window_call(*known) : std::nullopt;
  if (!call) return false;
  model::WindowArguments window;
  if (!call->cursor.empty()) window.cursor = call->cursor;
  return !roles_.windows.may_search(window);
}

mcp::HttpCall McpHandlers::http_call(const http::Request& request, const Trace& trace) const {
  return {.request = request, .provider_url = addresses_.public_url(request), .span = trace.span, .spans = spans_};
}

http::Response McpHandlers::too_many_requests(const http::Request& request, const Error& error, Trace& trace) const {
  return transport_.refuse(http_call(request, trace), error, trace.calls);
}

Answer McpHandlers::mcp(const Call& call) const {
  LADDER_TRY(const auto who, callers_.mcp_client(call.request, call.trace));
  mcp::HttpCall sent = http_call(call.request, call.trace);
  sent.client = format("{}/{}", who.owner(), who.client_id());
  server::LocalPort port(roles_, who);
  return transport_.answer(sent, port, call.trace.calls);
}

}  // namespace ladder::rest

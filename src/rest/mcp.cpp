// Serves the Model Context Protocol: checks the client's token. mcp/http/ does the rest.
#include "base/text/format.h"
#include "http/message/message.h"
#include "mcp/http/posted_message.h"
#include "mcp/http/transport.h"
#include "rest/handlers.h"
#include "server/window/field_windows.h"

namespace ladder::rest {
namespace {

mcp::HttpCall http_call(const McpHandlers& handlers, const http::Request& request, const Trace& trace) {
  return {
      .request = request, .provider_url = handlers.addresses.public_url(request), .span = trace.span, .spans = handlers.spans};
}

}  // namespace

bool McpHandlers::is_short_call(const http::Request& request) const {
  const mcp::Incoming* const known = mcp::known_message(request);
  const auto call = known ? mcp::window_call(*known) : std::nullopt;
  if (!call) return false;
  model::WindowArguments window;
  if (!call->cursor.empty()) window.cursor = call->cursor;
  return !roles.windows.may_search(window);
}

http::Response McpHandlers::too_many_requests(const http::Request& request, const Error& error, Trace& trace) const {
  return transport.refuse(http_call(*this, request, trace), error, trace.calls);
}

Answer McpHandlers::mcp(const Call& call) const {
  mcp::HttpCall sent = http_call(*this, call.request, call.trace);
  sent.client = format("{}/{}", call.who().owner(), call.who().client_id());
  server::LocalPort port(roles, call.who());
  return transport.answer(sent, port, call.trace.calls);
}

}  // namespace ladder::rest

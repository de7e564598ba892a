// The routes of the Model Context Protocol: they check the client's token. mcp/http/ does the rest.
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "mcp/http/posted_message.h"
#include "mcp/http/transport.h"
#include "rest/service.h"
#include "server/local_port.h"
#include "server/resource_server.h"

namespace ladder::rest {

using http::Response;

// Owner credentials are not allowed for MCP (design D16).
Result<server::Access> Service::mcp_access(const http::Request& request, Trace& trace) {
  LADDER_TRY(auto who, access(request, trace));
  if (who.is_owner()) {
    return fail(Code::kPermission,
                "owner tokens are not accepted here; `ladder grant create` creates a token for a client with limited access");
  }
  return who;
}

bool Service::is_short_mcp_call(const http::Request& request) const {
  const mcp::Incoming* const known = mcp::known_message(request);
  const auto call = known ? mcp::window_call(*known) : std::nullopt;
  if (!call) return false;
  model::WindowArguments window;
  if (!call->cursor.empty()) window.cursor = call->cursor;
  return !server_.windows().may_search(window);
}

mcp::HttpCall Service::mcp_call(const http::Request& request, const Trace& trace) const {
  return {.request = request, .provider_url = public_url(request), .span = trace.span, .spans = options_.spans};
}

http::Response Service::mcp_too_many_requests(const http::Request& request, const Error& error, Trace& trace) {
  return mcp_.refuse(mcp_call(request, trace), error, trace.calls);
}

Result<Response> Service::mcp(const Call& call) {
  LADDER_TRY(const auto who, mcp_access(call.request, call.trace));
  mcp::HttpCall sent = mcp_call(call.request, call.trace);
  sent.client = format("{}/{}", who.owner(), who.client_id());
  server::LocalPort port(server_, who);
  return mcp_.answer(sent, port, call.trace.calls);
}

Result<Response> Service::mcp_metadata(const Call& call) {
  const std::string url = public_url(call.request);
  json::Writer out;
  out.begin_object().member("resource", url + "/mcp").member("resource_name", "Ladder MCP Server");
  write_authorization(out, call.request);
  out.key("bearer_methods_supported").begin_array().string("header").end_array();
  out.key("pdpp_token_kinds_supported").begin_array().string("client").end_array();
  out.key("pdpp_agent_discovery").begin_object().key("mcp").begin_object().member("endpoint", url + "/mcp").end_object();
  out.end_object().end_object();
  return Response::json(200, out.take());
}

}  // namespace ladder::rest

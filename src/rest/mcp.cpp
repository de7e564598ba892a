#include "rest/mcp.h"

#include "api/resource_port.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "mcp/protocol/answer.h"
#include "mcp/tools/tools.h"
#include "rest/service.h"
#include "server/resource_server.h"

namespace ladder::rest {
namespace {

constexpr std::string_view kTool = "read_record_field";

// The string behind the name that ends before `at`; empty where something else follows.
std::string_view value_after(std::string_view json, std::size_t at) {
  const std::size_t open = json.find_first_not_of(": \t\r\n", at);
  if (open == json.npos || json[open] != '"') return {};
  return json.substr(open + 1, json.find('"', open + 1) - open - 1);
}

}  // namespace

// One look at every string, since this stands before each call.
std::optional<WindowCall> window_call(std::string_view body) {
  if (body.find('\\') != body.npos || body.find('[') != body.npos) return std::nullopt;
  bool calls = false, names_it = false;
  WindowCall call;
  for (std::size_t open = body.find('"'); open != body.npos;) {
    const std::size_t close = body.find('"', open + 1);
    if (close == body.npos) return std::nullopt;
    const std::string_view text = body.substr(open + 1, close - open - 1);
    if (text == "q" || text.find("resources/") != text.npos) return std::nullopt;
    if (text == "tools/call") calls = true;
    if (text == "name") {  // a client says its own, too
      const std::string_view name = value_after(body, close + 1);
      if (name == kTool) names_it = true;
      else if (mcp::find_tool(name) != nullptr) return std::nullopt;
    }
    if (text == "cursor") {
      const std::string_view cursor = value_after(body, close + 1);
      if (cursor.empty() || !call.cursor.empty()) return std::nullopt;
      call.cursor = cursor;
    }
    open = body.find('"', close + 1);
  }
  if (!calls || !names_it) return std::nullopt;
  return call;
}

// POST /mcp: what HTTP adds to the Model Context Protocol. A token first, a client's; then the types of the body and the answer;
// the rest is mcp/'s. Answers are JSON, one a request; nothing is kept between requests, so there is no session and no stream.

namespace {

using http::Response;

constexpr int kAccepted = 202;
constexpr int kNotAcceptable = 406;
constexpr int kUnsupportedMedia = 415;

// All values of a header, as one: sent twice, it says nothing that could be believed.
std::optional<std::string> header(const http::Request& request, std::string_view name) {
  std::optional<std::string> joined;
  for (const auto& [field, value] : request.headers.all()) {
    if (!http::equal_without_case(field, name)) continue;
    joined = joined ? *joined + ", " + value : value;
  }
  return joined;
}

// "application/json; charset=utf-8" without what stands behind the type.
std::string_view media_type(std::string_view value) { return http::trimmed(value.substr(0, value.find(';'))); }

bool brings_json(const http::Request& request) {
  return http::equal_without_case(media_type(header(request, "Content-Type").value_or("")), "application/json");
}

// We only ever answer JSON; a client that also takes event streams is not asked to say so.
bool takes_json(const http::Request& request) {
  const auto accept = header(request, "Accept");
  if (!accept) return true;
  for (std::string_view left = *accept; !left.empty();) {
    const auto comma = left.find(',');
    const std::string_view type = media_type(left.substr(0, comma));
    for (const std::string_view fits : {"application/json", "application/*", "*/*"}) {
      if (http::equal_without_case(type, fits)) return true;
    }
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

Response json_error(int status, std::string message) {
  return Response::json(status, mcp::error_body({}, {mcp::kInvalidRequest, std::move(message), {}, status, {}}));
}

}  // namespace

// Owner credentials never reach MCP (design D16).
Result<server::Access> Service::mcp_access(const http::Request& request, Trace& trace) {
  LADDER_TRY(auto who, access(request, trace));
  if (who.is_owner()) {
    return fail(Code::kPermission,
                "an owner's token is not taken here; `ladder grant create` makes one for a client, limited to what it names");
  }
  return who;
}

bool Service::is_short_mcp_call(std::string_view body) const {
  const auto call = window_call(body);
  if (!call) return false;
  model::WindowArguments window;
  if (!call->cursor.empty()) window.cursor = call->cursor;
  return !server_.may_search(window);
}

mcp::Envelope Service::mcp_envelope(const http::Request& request) const {
  mcp::Envelope envelope;
  envelope.http = true;
  envelope.protocol_version = header(request, "MCP-Protocol-Version");
  envelope.method = header(request, "Mcp-Method");
  envelope.name = header(request, "Mcp-Name");
  envelope.request_id = request.id;
  envelope.provider_url = public_url(request);
  return envelope;
}

// A model reads the results of its tools, and no host shows it a status of HTTP: so it is told as a tool's error.
http::Response Service::mcp_hold_off(const http::Request& request, const Error& error, Trace& trace) const {
  if (!brings_json(request)) return http::error_response(error, request.id);
  api::BusyPort port(error);
  mcp::Reply reply = mcp_.handle(request.body, mcp_envelope(request), port, {});
  trace.calls = std::move(reply.log);
  return Response::json(reply.http_status, std::move(reply.body));
}

// Whether it may take long to answer; what is read of a body here is not parsed, so whatever could hide a method is taken for
// one.
bool Service::is_costly_mcp_call(std::string_view body) {
  return body.find('\\') != body.npos || body.find("tools/call") != body.npos || body.find("resources/read") != body.npos;
}

Result<Response> Service::mcp(const Call& call) {
  const http::Request& request = call.request;
  LADDER_TRY(const auto who, mcp_access(request, call.trace));
  if (!brings_json(request)) return json_error(kUnsupportedMedia, "send the message as Content-Type: application/json");
  if (!takes_json(request)) return json_error(kNotAcceptable, "answers are application/json; let the Accept header take that");
  const mcp::Envelope envelope = mcp_envelope(request);
  server::LocalPort port(server_, who);
  mcp::Reply reply = mcp_.handle(request.body, envelope, port, request.gone);
  call.trace.calls = std::move(reply.log);
  if (!reply.body.empty()) return Response::json(reply.http_status, std::move(reply.body));
  Response silent;
  silent.status = kAccepted;
  return silent;
}

Result<Response> Service::mcp_metadata(const Call& call) const {
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

// Serves requests without a token: endpoints, health, metrics, and how to get a token (PDPP "discovery").
#include "http/middleware/host_check.h"
#include "json/writer.h"
#include "rest/handlers.h"
#include "server/read/list_walk.h"

#include <algorithm>
#include <array>

namespace ladder::rest {
namespace {

using http::Response;

// Writes the same short list of scopes everywhere, since hosts look in different places.
void write_authorization(const DiscoveryHandlers& handlers, const http::Request& request, json::Writer& out) {
  const auto own = handlers.addresses.server_url(request);
  const std::string issuer = !handlers.issuer.empty() ? std::string(handlers.issuer) : own ? own->base : "";
  if (issuer.empty()) return;
  out.key("authorization_servers").begin_array().string(issuer).end_array();
  if (issuer != (own ? own->base : "")) return;
  out.key("scopes_supported").begin_array().string(auth::kReadScope).end_array();
  out.key("authorization_details_types_supported").begin_array().string(auth::kDetailsType).end_array();
}

// The metrics change with every write, including writes that a client may not know about, so only the owner and programs on
// this computer may read them. Requests through a proxy also come from a loopback address, but are not local.
Status require_operator(server::Accesses& accesses, const Addresses& addresses, const Call& call) {
  const http::Request& request = call.request;
  if (request.headers.get("Authorization")) {
    LADDER_TRY(const server::Access who, authenticate(accesses, request, call.trace));
    if (who.is_owner()) return {};
    return fail(Code::kPermission, "/metrics requires the owner's token; a client's token only allows what its grants cover");
  }
  const bool over_proxy = addresses.options()->public_url.starts_with("https:") && !request.over_tls;
  const bool forwarded = std::ranges::any_of(std::array{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via"},
                                             [&](const char* name) { return request.headers.get(name).has_value(); });
  if (http::is_loopback(request.remote_address) && !over_proxy && !forwarded) return {};
  return fail(Code::kAuthentication,
              "/metrics requires the owner's token (`ladder token create` creates one), or a program on this computer that does "
              "not come through a proxy");
}

}  // namespace

Answer DiscoveryHandlers::index(const Call& call) const {
  // A browser that opens the server's address gets the owner's pages.
  const bool is_browser = call.request.headers.get("Accept").value_or("").find("text/html") != std::string_view::npos;
  if (is_browser && addresses.server_url(call.request)) {
    return pages.console_page(&console::Console::home, pages::Section::kHome, call);
  }
  json::Writer out;
  out.begin_object().member("object", "pdpp_discovery_index").member("role", "resource_server");
  out.member("resource_name", "Ladder").key("links").begin_object();
  out.member("well_known", "/.well-known/oauth-protected-resource")
      .member("schema", "/v1/schema")
      .member("core_query_base", "/v1");
  out.member("connectors", "/v1/connectors")
      .member("search", "/v1/search")
      .member("openapi", "/openapi.json")
      .member("mcp", "/mcp");
  out.end_object().end_object();
  return Response::json(200, out.take());
}

Answer DiscoveryHandlers::ready(const Call& /*call*/) const {
  LADDER_CHECK(ready_check());
  return Response::json(200, R"({"status":"ready"})");
}

Answer DiscoveryHandlers::resource_metadata(const Call& call) const {
  const std::string url = addresses.public_url(call.request);
  json::Writer out;
  out.begin_object().member("resource", url).member("resource_name", "Ladder Resource Server");
  write_authorization(*this, call.request, out);
  out.key("bearer_methods_supported").begin_array().string("header").end_array();
  out.key("pdpp_token_kinds_supported").begin_array().string("owner").string("client").end_array();
  out.member("pdpp_core_query_base", url + "/v1").key("pdpp_discovery_hints").begin_object();
  out.member("schema_endpoint", "/v1/schema").member("query_base", "/v1").member("connectors_endpoint", "/v1/connectors");
  out.member("streams_endpoint_template", "/v1/streams/{stream}");
  out.key("aggregate").begin_object().member("endpoint_template", "/v1/streams/{stream}/aggregate").end_object();
  out.member("changes_since_bootstrap", "beginning").member("blob_indirection", "data.blob_ref.fetch_url");
  out.key("search").begin_object().member("endpoint", "/v1/search").member("scope_param", "streams[]");
  out.member("filter_requires_single_stream", true).end_object().end_object();
  out.key("capabilities").begin_object().key("lexical_retrieval").begin_object();
  out.member("supported", true).member("endpoint", "/v1/search").member("cross_stream", true).member("snippets", true);
  out.member("default_limit", server::kDefaultPageLimit)
      .member("max_limit", server::kMaxPageLimit)
      .member("cursor_supported", true);
  out.member("count_supported", true).key("score").begin_object().member("supported", true).member("kind", "bm25");
  out.member("order", "higher_is_better").member("value_semantics", "implementation_relative").end_object();
  out.end_object().end_object().end_object();
  return Response::json(200, out.take());
}

Answer DiscoveryHandlers::mcp_metadata(const Call& call) const {
  const std::string url = addresses.public_url(call.request);
  json::Writer out;
  out.begin_object().member("resource", url + "/mcp").member("resource_name", "Ladder MCP Server");
  write_authorization(*this, call.request, out);
  out.key("bearer_methods_supported").begin_array().string("header").end_array();
  out.key("pdpp_token_kinds_supported").begin_array().string("client").end_array();
  out.key("pdpp_agent_discovery").begin_object().key("mcp").begin_object().member("endpoint", url + "/mcp").end_object();
  out.end_object().end_object();
  return Response::json(200, out.take());
}

Answer DiscoveryHandlers::health(const Call& /*call*/) const { return Response::json(200, R"({"status":"ok"})"); }

Answer DiscoveryHandlers::openapi_text(const Call& /*call*/) const { return Response::json(200, std::string(openapi)); }

Answer DiscoveryHandlers::metrics_text(const Call& call) const {
  LADDER_CHECK(require_operator(accesses, addresses, call));
  http::Response response;
  response.headers.set("Content-Type", std::string(http::Metrics::kContentType));
  response.body = metrics.text();
  return response;
}

}  // namespace ladder::rest

// What anyone may ask: where things are, whether the server is ready, and how to get a token (contract 5.4, 5.6).
#include "json/writer.h"
#include "rest/service.h"
#include "rs/page_limits.h"

namespace ladder::rest {

Result<http::Response> Service::index(const http::Request& request) const {
  if (wants_page(request)) return pages::redirect_to("/clients");
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
  return http::Response::json(200, out.take());
}

Result<http::Response> Service::ready() {
  LADDER_CHECK(server_.check_store());
  return http::Response::json(200, R"({"status":"ready"})");
}

// The same short list of scopes everywhere, since hosts differ in where they look.
void Service::write_authorization(json::Writer& out, const http::Request& request) const {
  const auto own = place(request);
  const std::string issuer = !options_.issuer.empty() ? options_.issuer : own ? own->base : "";
  if (issuer.empty()) return;
  out.key("authorization_servers").begin_array().string(issuer).end_array();
  if (issuer != (own ? own->base : "")) return;
  out.key("scopes_supported").begin_array().string(auth::kReadScope).end_array();
  out.key("authorization_details_types_supported").begin_array().string(auth::kDetailsType).end_array();
}

Result<http::Response> Service::resource_metadata(const Call& call) const {
  const std::string url = public_url(call.request);
  json::Writer out;
  out.begin_object().member("resource", url).member("resource_name", "Ladder Resource Server");
  write_authorization(out, call.request);
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
  out.member("default_limit", rs::kDefaultPageLimit).member("max_limit", rs::kMaxPageLimit).member("cursor_supported", true);
  out.member("count_supported", true).key("score").begin_object().member("supported", true).member("kind", "bm25");
  out.member("order", "higher_is_better").member("value_semantics", "implementation_relative").end_object();
  out.end_object().end_object().end_object();
  return http::Response::json(200, out.take());
}

}  // namespace ladder::rest

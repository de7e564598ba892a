#include "rest/metadata.h"

#include "base/text/format.h"
#include "json/writer.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/render.h"
#include "rest/service.h"
#include "server/read/list_walk.h"

#include <algorithm>

namespace ladder::rest {
namespace {

std::string imports_json(const std::vector<server::ImportSummary>& imports) {
  json::Writer out;
  out.begin_array();
  for (const server::ImportSummary& facts : imports) {
    out.begin_object().member("connection_id", facts.connection_id).member("stream", facts.stream);
    out.member("last_import", format_time(facts.last_import)).member("parts", facts.parts);
    out.member("records_read", facts.records_read).member("not_imported", facts.not_imported).member("complete", facts.complete);
    out.optional_member("from", facts.from).optional_member("to", facts.to).end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace

std::string schema_text(const api::SchemaView& view, const SchemaArguments& arguments,
                        const std::vector<server::ImportSummary>& imports, std::string_view self, Warnings warnings) {
  std::int64_t streams = 0;
  for (const api::SourceView& source : view.sources) streams += std::ssize(source.streams);
  bool compact = arguments.compact;
  if (!compact && arguments.request.stream.empty() && streams > kMaxFullStreams) {
    compact = true;
    warnings.push_back({"compatibility_fallback",
                        format("{} streams are shown compact; stream=NAME&detail=full shows one in full", streams),
                        "view",
                        {}});
  }
  const std::string imports_text = compact || imports.empty() ? "" : imports_json(imports);
  return render_schema(view, compact ? SchemaForm::kCompact : SchemaForm::kFull, compact || arguments.is_narrowed(),
                       {.self = self, .warnings = std::move(warnings), .imports = imports_text});
}

Result<std::string> schema_answer(server::ResourceServer& server, const server::Access& who, const SchemaArguments& arguments,
                                  std::string_view self, Warnings warnings) {
  auto view = server.reads().schema(who, arguments.request);
  if (view) {
    LADDER_TRY(const auto imports,
               arguments.compact ? Result<std::vector<server::ImportSummary>>() : server.imports().summaries(who, *view));
    return schema_text(*view, arguments, imports, self, std::move(warnings));
  }
  Error error = std::move(view.error());
  if (error.code == Code::kAmbiguousConnection) error.code = Code::kAmbiguousSchemaDetail;
  return std::unexpected(std::move(error));
}

// Serves the metadata: /v1/schema, /v1/connectors, /v1/streams and one stream (PDPP "schema and streams").

namespace {

using http::Response;

// Keeps only that source. An owner gets an error if it does not exist; a client gets an empty list in either case (design D5).
Status keep_connector(api::SchemaView& view, const std::string& connector_key, bool is_owner) {
  if (connector_key.empty()) return {};
  std::erase_if(view.sources, [&](const api::SourceView& source) { return source.connector_key != connector_key; });
  if (!view.sources.empty() || !is_owner) return {};
  return fail(Code::kNotFound, format("no source {} with an active connection", model::in_quotes(connector_key)), "connector_id");
}

}  // namespace

Result<Response> Service::schema(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto arguments, schema_arguments(call.query, warnings));
  LADDER_TRY(std::string body, schema_answer(server_, who, arguments, call.request.target, std::move(warnings)));
  return Response::json(200, std::move(body));
}

Result<api::SchemaView> Service::narrowed_schema(const Call& call, const server::Access& who,
                                                 std::vector<api::Warning>& warnings) {
  api::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  LADDER_TRY(auto view, server_.reads().schema(who, request));
  if (view.sources.empty() && who.is_owner() && !request.connection_id.empty()) {
    LADDER_CHECK(
        server_.sources().connection(who, request.connection_id));  // kConnectionNotFound, or the connection has no readable data
  }
  LADDER_CHECK(keep_connector(view, connector.value_or(""), who.is_owner()));
  return view;
}

Result<Response> Service::connectors(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto view, narrowed_schema(call, who, warnings));
  return Response::json(200, render_connectors(view, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::streams(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto view, narrowed_schema(call, who, warnings));
  return Response::json(200, render_streams(view, {.self = call.request.target, .warnings = std::move(warnings)}));
}

// Names the stream or the connection that the caller may not see. An ungranted stream and a missing one give the same error
// (design D5).
std::unexpected<Error> Service::no_such_stream(const server::Access& who, api::SchemaRequest request) {
  const std::string connection_id = std::exchange(request.connection_id, "");
  request.full_detail = false;
  if (!connection_id.empty()) {
    const auto anywhere = server_.reads().schema(who, request);
    if (!anywhere) return std::unexpected(anywhere.error());
    if (!anywhere->sources.empty()) {
      return fail(Code::kConnectionNotFound,
                  format("no connection {} with that stream that you can read", model::in_quotes(connection_id)),
                  "connection_id");
    }
  }
  const std::string stream = model::in_quotes(request.stream);
  return who.is_owner() ? fail(Code::kNotFound, format("unknown stream {}", stream), "stream")
                        : fail(Code::kStreamNotAllowed, format("the grant does not cover a stream {}", stream), "stream");
}

Result<Response> Service::stream(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  api::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  request.stream = call.match.at("stream");
  request.full_detail = !connector;  // a source key also distinguishes streams of the same name
  LADDER_TRY(auto view, server_.reads().schema(who, request));
  if (connector) {
    std::erase_if(view.sources, [&](const api::SourceView& source) { return source.connector_key != *connector; });
  }
  if (view.sources.empty()) return no_such_stream(who, std::move(request));
  const api::SourceView& source = view.sources.front();
  return Response::json(
      200, render_stream(source, source.streams.front(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

// Serves requests without a token: endpoints, readiness, and how to get a token (PDPP "discovery").

Result<http::Response> Service::index(const Call& call) {
  if (wants_page(call.request)) return console_page<&console::Console::home, pages::Section::kHome>(call);
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

Result<http::Response> Service::ready(const Call& /*call*/) {
  LADDER_CHECK(ready_check_());
  return http::Response::json(200, R"({"status":"ready"})");
}

// Writes the same short list of scopes everywhere, since hosts look in different places.
void Service::write_authorization(json::Writer& out, const http::Request& request) const {
  const auto own = server_url(request);
  const std::string issuer = !options_.issuer.empty() ? options_.issuer : own ? own->base : "";
  if (issuer.empty()) return;
  out.key("authorization_servers").begin_array().string(issuer).end_array();
  if (issuer != (own ? own->base : "")) return;
  out.key("scopes_supported").begin_array().string(auth::kReadScope).end_array();
  out.key("authorization_details_types_supported").begin_array().string(auth::kDetailsType).end_array();
}

Result<http::Response> Service::resource_metadata(const Call& call) {
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
  out.member("default_limit", server::kDefaultPageLimit)
      .member("max_limit", server::kMaxPageLimit)
      .member("cursor_supported", true);
  out.member("count_supported", true).key("score").begin_object().member("supported", true).member("kind", "bm25");
  out.member("order", "higher_is_better").member("value_semantics", "implementation_relative").end_object();
  out.end_object().end_object().end_object();
  return http::Response::json(200, out.take());
}

}  // namespace ladder::rest

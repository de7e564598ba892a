// What there is to read: /v1/schema, /v1/connectors, /v1/streams and one stream (contract 6.2–6.5).
#include "base/format.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/render.h"
#include "rest/schema_answer.h"
#include "rest/scope.h"
#include "rest/service.h"

#include <algorithm>

namespace ladder::rest {
namespace {

using http::Response;

// Only that source. An owner hears that there is none; a client's list is empty whether it exists or not (design D5).
Status keep_connector(port::SchemaView& view, const std::string& connector_key, bool is_owner) {
  if (connector_key.empty()) return {};
  std::erase_if(view.sources, [&](const port::SourceView& source) { return source.connector_key != connector_key; });
  if (!view.sources.empty() || !is_owner) return {};
  return fail(Code::kNotFound, format("there is no source {} with an active connection", model::in_quotes(connector_key)),
              "connector_id");
}

}  // namespace

Result<Response> Service::schema(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto arguments, schema_arguments(call.query, warnings));
  LADDER_TRY(std::string body, schema_answer(server_, who, arguments, call.request.target, std::move(warnings)));
  return Response::json(200, std::move(body));
}

Result<port::SchemaView> Service::narrowed_schema(const Call& call, const rs::Access& who, std::vector<port::Warning>& warnings) {
  port::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  LADDER_TRY(auto view, server_.schema(who, request));
  if (view.sources.empty() && who.is_owner() && !request.connection_id.empty()) {
    LADDER_CHECK(server_.connection(who, request.connection_id));  // kConnectionNotFound, or it has nothing to read
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

// Which of the two it was that the caller may not see, stream or connection. An ungranted stream and a missing one give the same
// answer (design D5).
std::unexpected<Error> Service::no_such_stream(const rs::Access& who, port::SchemaRequest request) {
  const std::string connection_id = std::exchange(request.connection_id, "");
  request.full_detail = false;
  if (!connection_id.empty()) {
    const auto anywhere = server_.schema(who, request);
    if (!anywhere) return std::unexpected(anywhere.error());
    if (!anywhere->sources.empty()) {
      return fail(Code::kConnectionNotFound,
                  format("there is no connection {} with that stream that you may read", model::in_quotes(connection_id)),
                  "connection_id");
    }
  }
  const std::string stream = model::in_quotes(request.stream);
  return who.is_owner() ? fail(Code::kNotFound, format("there is no stream {}", stream), "stream")
                        : fail(Code::kStreamNotAllowed, format("the grant does not cover a stream {}", stream), "stream");
}

Result<Response> Service::stream(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  port::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  request.stream = call.match.at("stream");
  request.full_detail = !connector;  // a source's key is as good as a connection to tell streams of one name apart
  LADDER_TRY(auto view, server_.schema(who, request));
  if (connector) {
    std::erase_if(view.sources, [&](const port::SourceView& source) { return source.connector_key != *connector; });
  }
  if (view.sources.empty()) return no_such_stream(who, std::move(request));
  const port::SourceView& source = view.sources.front();
  return Response::json(
      200, render_stream(source, source.streams.front(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

}  // namespace ladder::rest

// The reads of records under /v1: each turns its parameters into a request of the port and renders the answer.
#include "base/format.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/render.h"
#include "rest/service.h"

#include <algorithm>

namespace ladder::rest {

using http::Response;

// A source's key tells streams of one name apart as long as it leaves one connection, or the name belongs to that source alone.
Status Service::narrow_to_source(const Call& call, const rs::Access& who, std::string& connection_id) {
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  if (!connector || !connection_id.empty()) return {};
  port::SchemaRequest request;
  request.stream = call.match.at("stream");
  LADDER_TRY(const auto view, server_.schema(who, request));
  if (view.sources.empty()) return {};  // no such stream, which the read itself will say
  const auto source = std::ranges::find(view.sources, *connector, &port::SourceView::connector_key);
  if (source == view.sources.end()) {
    return fail(Code::kNotFound, format("there is no source {} with that stream that you may read", model::quoted(*connector)),
                "connector_id");
  }
  const auto& connections = source->streams.front().connections;
  if (connections.size() == 1) connection_id = connections.front().connection_id;
  return {};
}

Result<Response> Service::records(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  Warnings warnings;
  LADDER_TRY(auto request, records_request(call.query, call.match.at("stream"), warnings));
  LADDER_CHECK(narrow_to_source(call, who, request.scope.connection_id));
  LADDER_TRY(const auto page, server_.records(who, request, call.request.gone));
  return Response::json(200, render(page, call.request.path(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::record(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  Warnings warnings;
  LADDER_TRY(auto request, record_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  LADDER_CHECK(narrow_to_source(call, who, request.record.connection_id));
  LADDER_TRY(const auto found, server_.record(who, request));
  return Response::json(200, render(found, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::field_window(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  Warnings warnings;
  LADDER_TRY(auto request, window_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  LADDER_CHECK(narrow_to_source(call, who, request.record.connection_id));
  LADDER_TRY(const auto window, server_.field_window(who, request, call.request.gone));
  return Response::json(200, render(window, call.request.path(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::aggregate(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  Warnings warnings;
  LADDER_TRY(auto request, aggregate_request(call.query, call.match.at("stream"), warnings));
  LADDER_CHECK(narrow_to_source(call, who, request.scope.connection_id));
  LADDER_TRY(const auto result, server_.aggregate(who, request, call.request.gone));
  return Response::json(200, render(request, result, {.self = call.request.target, .warnings = std::move(warnings)}));
}

}  // namespace ladder::rest

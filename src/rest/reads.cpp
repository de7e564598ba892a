// Record reads under /v1: each route converts its parameters to a request of the port and renders the result.
#include "rest/arguments.h"
#include "rest/render.h"
#include "rest/service.h"

namespace ladder::rest {

using http::Response;

Result<Response> Service::records(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto request, records_request(call.query, call.match.at("stream"), warnings));
  LADDER_TRY(const auto page, server_.reads().records(who, request, call.request.gone));
  return Response::json(200, render(page, call.request.path(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::record(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto request, record_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  LADDER_TRY(const auto found, server_.reads().record(who, request));
  return Response::json(200, render(found, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::field_window(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto request, window_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  auto window = server_.windows().read(who, request, call.request.gone);
  if (!window) {
    if (window.error().param == "field_path") window.error().param = "field";  // the parameter's name in this API
    return std::unexpected(std::move(window).error());
  }
  return Response::json(200, render(*window, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::aggregate(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto request, aggregate_request(call.query, call.match.at("stream"), warnings));
  LADDER_TRY(const auto result, server_.reads().aggregate(who, request, call.request.gone));
  return Response::json(200, render(request, result, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Result<Response> Service::search(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  Warnings warnings;
  LADDER_TRY(const auto request, search_request(call.query, warnings));
  LADDER_TRY(const auto page, server_.search().find(who, request, call.request.gone));
  return Response::json(
      200, render(page, who.is_owner(), call.request.path(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

}  // namespace ladder::rest

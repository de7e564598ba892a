// Record reads under /v1: each route converts its parameters to a request of the port and renders the result.
#include "rest/arguments.h"
#include "rest/handlers.h"
#include "rest/render.h"

namespace ladder::rest {

using http::Response;

Answer ReadHandlers::records(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto request, records_request(call.query, call.match.at("stream"), warnings));
  LADDER_TRY(const auto page, roles.reads.records(call.who(), request, call.request.gone));
  return Response::json(200, render(page, call.request.path(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer ReadHandlers::record(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto request, record_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  LADDER_TRY(const auto found, roles.reads.record(call.who(), request));
  return Response::json(200, render(found, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer ReadHandlers::field_window(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto request, window_request(call.query, call.match.at("stream"), call.match.at("id"), warnings));
  auto window = roles.windows.read(call.who(), request, call.request.gone);
  if (!window) {
    if (window.error().param == "field_path") window.error().param = "field";  // the parameter's name in this API
    return std::unexpected(std::move(window).error());
  }
  return Response::json(200, render(*window, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer ReadHandlers::aggregate(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto request, aggregate_request(call.query, call.match.at("stream"), warnings));
  LADDER_TRY(const auto result, roles.reads.aggregate(call.who(), request, call.request.gone));
  return Response::json(200, render(request, result, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer ReadHandlers::search(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto request, search_request(call.query, warnings));
  LADDER_TRY(const auto page, roles.search.find(call.who(), request, call.request.gone));
  return Response::json(200, render(page, call.who().is_owner(), call.request.path(),
                                    {.self = call.request.target, .warnings = std::move(warnings)}));
}

bool ReadHandlers::may_search_window(const http::Request& request) const {
  const auto query = http::Query::parse(request.query());
  if (!query) return false;  // rejected without I/O
  model::WindowArguments window;
  if (query->has("q")) window.q = "";
  if (auto cursor = query->one("cursor"); cursor && *cursor) window.cursor = **cursor;
  return roles.windows.may_search(window);
}

}  // namespace ladder::rest

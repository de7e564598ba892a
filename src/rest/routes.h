// The table of routes: paths, handlers, parameters, limits, bodies, callers, error codes and placement. Routing, the parameter
// checks, /openapi.json and the table in docs/reference/rest.md are generated from it.
#pragma once

#include "base/error/error.h"
#include "http/fair_queue.h"
#include "http/message/message.h"
#include "http/router.h"
#include "rest/handlers.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::rest {

// Requests that are read before they are queued, because some of them are short.
enum class Peek : std::uint8_t { kNone, kWindow, kMcp };

// A row: fields for the router, the handler and its checks, and fields for the documentation only.
struct RouteRow {
  http::Route route;
  Handler handler = nullptr;
  Caller caller = Caller::kToken;
  http::Weight weight = http::Weight::kCostly;
  Peek peek = Peek::kNone;
  bool any_origin = false;        // pages of any origin may call it, because it takes no cookie and no token
  bool from_browser = false;      // a browser posts it by itself, with "Origin: null" (pages/gate.h)
  bool of_authorization = false;  // of the authorization server or its pages, which check parameters and report errors themselves
  bool any_parameters = false;    // unknown query parameters are ignored
  int success = 200;
  std::string_view answer_type = "application/json";
  std::string_view body_type = {};                          // of the request; empty if it takes no body
  std::string_view limits = {};                             // limits on the response that no parameter describes
  std::vector<std::pair<int, std::string_view>> also = {};  // further statuses that are not errors of the list
  std::vector<Code> codes = {};                             // errors in addition to those of every route of that caller

  std::vector<Code> all_codes() const;  // includes the common errors
  void takes(std::string_view with_type, std::size_t max_body) {
    body_type = with_type;
    route.max_body = max_body;
  }
};

// `reads` is where reads run: on the I/O thread for SQLite, on a worker if every read waits for a database server.
std::vector<RouteRow> routes(http::Placement reads);
void add_authorization_routes(std::vector<RouteRow>& rows);  // the part of routes() for oauth/, pages/ and console/
// The handler of a route is the index of its row.
std::vector<http::Route> http_routes(const std::vector<RouteRow>& rows);

// Renders OpenAPI 3.1 from the rows.
std::string openapi(const std::vector<RouteRow>& rows, std::string_view version);
// Renders the tables of docs/reference/rest.md in Markdown.
std::string route_tables(const std::vector<RouteRow>& rows);

}  // namespace ladder::rest

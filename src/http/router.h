// The table of routes. It finds the handler of a request; the documentation and OpenAPI are generated from the same rows.
//   pattern   "/v1/streams/{stream}/records/{id}"; a parameter is a non-empty complete segment; a trailing slash counts
// A path is split at its slashes as sent, and then decoded once: "%2F" stays inside its segment. HEAD uses the GET row.
#pragma once

#include "base/error/error.h"
#include "http/server.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::http {

enum class ParameterPlace : std::uint8_t { kPath, kQuery, kHeader };

// A parameter that a client may send, for the documentation and the checks. The text must live as long as the program.
struct RouteParameter {
  std::string_view name;
  ParameterPlace place = ParameterPlace::kQuery;
  std::string_view type = "string";  // a JSON Schema type: string, integer, boolean, array, object
  std::string_view summary;
  bool required = false;
  std::string_view default_value = {};  // as a client would write it; empty if there is none
  std::optional<std::int64_t> minimum = {}, maximum = {};
  std::vector<std::string_view> choices = {};  // the allowed values, if limited
};

struct Route {
  std::string_view method;  // upper case, never HEAD
  std::string_view pattern;
  int handler = 0;           // the caller's own id for it, such as the index of its row
  std::string_view name;     // unique; the operationId of OpenAPI
  std::string_view summary;  // one line
  std::vector<RouteParameter> parameters = {};
  Placement placement = Placement::kHere;
  std::size_t max_body = 0;  // 0: no body allowed

  std::vector<std::string_view> query_names() const;  // for Query::only
};

struct Match {
  const Route* route = nullptr;
  std::vector<std::pair<std::string_view, std::string>> path;  // decoded, in pattern order

  std::string_view at(std::string_view name) const;  // empty if the pattern has no such parameter
};

// The reason why no route matched.
struct NoMatch {
  int status = 404;  // 404; 405: the path exists; 400: a segment is not percent-encoded UTF-8
  std::string message;
  std::string allow;               // for 405: the value of the Allow header
  const Route* nearest = nullptr;  // for 405: a row of that path, for the log
};

// Immutable and thread-safe.
class Router {
 public:
  // Returns kInternal with the row for a malformed pattern, an undeclared path parameter, or two rows that match the same
  // requests.
  static Result<Router> create(std::vector<Route> routes);

  std::expected<Match, NoMatch> match(std::string_view method, std::string_view path) const;
  const std::vector<Route>& routes() const { return routes_; }  // in the given order

 private:
  struct Row {
    std::size_t route = 0;
    std::vector<std::string_view> segments;  // of the pattern; a parameter keeps its braces
  };
  std::vector<Route> routes_;
  std::vector<Row> rows_;  // more literal rows first
};

}  // namespace ladder::http

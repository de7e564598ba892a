#include "http/router.h"

#include "base/text/format.h"
#include "http/message/message.h"
#include "http/message/query.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

namespace ladder::http {
namespace {

constexpr std::size_t kMaxSegments = 16;  // per path; patterns have far fewer

bool is_parameter(std::string_view segment) { return segment.size() > 2 && segment.front() == '{' && segment.back() == '}'; }
std::string_view parameter_name(std::string_view segment) { return segment.substr(1, segment.size() - 2); }

// Splits the path after the leading slash; returns false if there is no leading slash or too many segments.
bool split(std::string_view path, std::array<std::string_view, kMaxSegments>& segments, std::size_t& count) {
  count = 0;
  if (path.empty() || path.front() != '/') return false;
  path.remove_prefix(1);
  for (;;) {
    if (count == kMaxSegments) return false;
    const auto slash = path.find('/');
    segments[count++] = path.substr(0, slash);
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool fits(std::span<const std::string_view> pattern, std::span<const std::string_view> path) {
  return std::ranges::equal(pattern, path, [](std::string_view wanted, std::string_view segment) {
    return is_parameter(wanted) ? !segment.empty() : wanted == segment;
  });
}

// Compares from the left: literal segments come before parameters.
bool more_literal(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  return std::ranges::lexicographical_compare(
      a, b, [](std::string_view x, std::string_view y) { return !is_parameter(x) && is_parameter(y); });
}

std::unexpected<Error> bad_row(const Route& route, std::string_view why) {
  return fail(Code::kInternal, format("the route {} {} {}", route.method, route.pattern, why));
}

Status check_row(const Route& route, std::span<const std::string_view> segments) {
  if (!is_token(route.method) || route.method == "HEAD") return bad_row(route, "has no method of its own (HEAD comes with GET)");
  std::set<std::string_view> names;
  for (const std::string_view segment : segments) {
    if (!is_parameter(segment)) {
      if (segment.find_first_of("{}%?#") != std::string_view::npos)
        return bad_row(route, "has a segment that is neither plain nor {name}");
      continue;
    }
    const auto name = parameter_name(segment);
    if (!names.insert(name).second) return bad_row(route, "names a parameter twice");
    const bool declared = std::ranges::any_of(
        route.parameters, [name](const RouteParameter& p) { return p.place == ParameterPlace::kPath && p.name == name; });
    if (!declared) return bad_row(route, format("does not describe its path parameter {}", name));
  }
  for (const RouteParameter& parameter : route.parameters) {
    if (parameter.place == ParameterPlace::kPath && !names.contains(parameter.name)) {
      return bad_row(route, format("describes {}, which its pattern lacks", parameter.name));
    }
  }
  return {};
}

bool same_shape(std::span<const std::string_view> a, std::span<const std::string_view> b) {
  return std::ranges::equal(a, b, [](std::string_view x, std::string_view y) {
    return is_parameter(x) == is_parameter(y) && (is_parameter(x) || x == y);
  });
}

}  // namespace

std::vector<std::string_view> Route::query_names() const {
  std::vector<std::string_view> names;
  for (const RouteParameter& parameter : parameters) {
    if (parameter.place == ParameterPlace::kQuery) names.push_back(parameter.name);
  }
  return names;
}

std::string_view Match::at(std::string_view name) const {
  for (const auto& [parameter, value] : path) {
    if (parameter == name) return value;
  }
  return {};
}

Result<Router> Router::create(std::vector<Route> routes) {
  Router router;
  router.routes_ = std::move(routes);
  std::set<std::string_view> names;
  for (std::size_t at = 0; at < router.routes_.size(); ++at) {
    const Route& route = router.routes_[at];
    std::array<std::string_view, kMaxSegments> segments;
    std::size_t count = 0;
    if (!split(route.pattern, segments, count)) return bad_row(route, "does not begin with a slash, or has too many segments");
    LADDER_CHECK(check_row(route, std::span(segments).first(count)));
    if (route.name.empty() || !names.insert(route.name).second) return bad_row(route, "has no name of its own");
    Row row{at, {segments.begin(), segments.begin() + static_cast<std::ptrdiff_t>(count)}};
    for (const Row& other : router.rows_) {
      if (router.routes_[other.route].method == route.method && same_shape(other.segments, row.segments)) {
        return bad_row(route, format("answers the same as {}", router.routes_[other.route].name));
      }
    }
    router.rows_.push_back(std::move(row));
  }
  std::ranges::stable_sort(router.rows_, [](const Row& a, const Row& b) { return more_literal(a.segments, b.segments); });
  return router;
}

std::expected<Match, NoMatch> Router::match(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  std::array<std::string_view, kMaxSegments> storage;
  std::size_t count = 0;
  NoMatch none;
  const auto no_route = [&] {
    none.message = "unknown route; GET /openapi.json lists the routes";
    return std::unexpected(std::move(none));
  };
  if (!split(path, storage, count)) return no_route();
  const auto segments = std::span<const std::string_view>(storage).first(count);
  for (const Row& row : rows_) {
    if (!fits(row.segments, segments)) continue;
    const Route& route = routes_[row.route];
    if (route.method != wanted) {
      if (!none.allow.empty()) none.allow += ", ";
      none.allow += route.method == "GET" ? "GET, HEAD" : route.method;
      none.nearest = &route;
      continue;
    }
    Match found{&route, {}};
    for (std::size_t at = 0; at < count; ++at) {
      if (!is_parameter(row.segments[at])) continue;
      const auto name = parameter_name(row.segments[at]);
      auto value = percent_decoded(segments[at], Plus::kPlus);
      if (!value)
        return std::unexpected(
            NoMatch{400, format("{} in the path is not percent-encoded UTF-8; write % as %25", name), {}, &route});
      found.path.emplace_back(name, *std::move(value));
    }
    return found;
  }
  if (none.allow.empty()) return no_route();
  none.status = 405;
  none.message = format("this route takes {}", none.allow);
  return std::unexpected(std::move(none));
}

}  // namespace ladder::http

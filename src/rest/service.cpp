#include "rest/service.h"

#include "api/missing_rights.h"
#include "api/resource_port.h"
#include "base/text/format.h"
#include "http/middleware/host_check.h"
#include "http/middleware/request_headers.h"
#include "json/writer.h"
#include "mcp/http/posted_message.h"
#include "rest/routes.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace ladder::rest {
namespace {

constexpr int kMisdirected = 421;
constexpr int kForbidden = 403;
constexpr int kTooLarge = 413;

constexpr std::string_view kMcpPath = "/mcp";

// Users often paste the MCP address with a trailing slash. A redirect would make hosts drop their token, so both addresses
// work, and so do their metadata, which hosts look for under the pasted address.
std::string_view routed_path(const http::Request& request) {
  const std::string_view path = request.path();
  const bool of_mcp = path.ends_with("/mcp/") && (path.size() == kMcpPath.size() + 1 || path.starts_with("/.well-known/"));
  return of_mcp ? path.substr(0, path.size() - 1) : path;
}

}  // namespace

Result<std::unique_ptr<Service>> Service::create(server::ResourceServer& server, const ServiceOptions& options,
                                                 const Clock& clock, http::LogSink& log) {
  auto rows = routes(options.reads_wait ? http::Placement::kWorker : http::Placement::kHere);
  LADDER_TRY(auto router, http::Router::create(http_routes(rows)));
  ServiceOptions complete = options;
  complete.mcp.version = options.version;
  complete.mcp.provider_url = {};  // set for each request
  complete.mcp.fence_key = server.fence_key();
  return std::unique_ptr<Service>(new Service(server, std::move(complete), clock, log, std::move(rows), std::move(router)));
}

const Service::Routed& Service::routed(const http::Request& request) const {
  if (!request.route) request.route = std::make_shared<const Routed>(router_.match(request.method, routed_path(request)));
  return *static_cast<const Routed*>(request.route.get());
}

void Service::change(LiveOptions options) {
  while (options.public_url.ends_with('/')) options.public_url.pop_back();  // issuers and resources are compared as text
  auto changed = std::make_shared<const LiveOptions>(std::move(options));
  const MutexLock lock(live_mutex_);
  live_.swap(changed);
}

std::size_t Service::body_limit(const http::Request& head) const {
  const Routed& match = routed(head);
  return match ? match->route->max_body : 0;
}

bool Service::ends_with_its_stream(const http::Request& request) const { return request.target.starts_with("/mcp"); }

http::Placement Service::placement(http::Request& request) const {
  const Routed& match = routed(request);
  if (!match) return match.error().nearest != nullptr ? match.error().nearest->placement : http::Placement::kHere;
  const Peek peek = row_of(*match->route).peek;
  if (peek == Peek::kMcp) mcp::take_message(request);
  const bool is_short = !options_.reads_wait &&
                        ((peek == Peek::kWindow && !may_search(request)) || (peek == Peek::kMcp && is_short_mcp_call(request)));
  return is_short ? http::Placement::kHere : match->route->placement;
}

// Returns a token's owner and client from memory: a store lookup would let unauthenticated callers block the I/O threads.
http::Party Service::party(const http::Request& request) const {
  http::Party party;
  if (const auto token = http::bearer_token(request)) {
    if (const auto known = server_.accesses().recall(*token)) {
      party.owner = std::to_string(known->owner);
      party.client = known->is_owner ? "" : "client " + known->client_id;
    }
  }
  const Routed& match = routed(request);
  if (!match) return party;
  const RouteRow& row = row_of(*match->route);
  party.weight = row.weight;
  if (row.peek == Peek::kMcp) {
    const mcp::Incoming* const known = mcp::known_message(request);
    if (!known || mcp::reads_records(*known)) party.weight = http::Weight::kCostly;
  }
  return party;
}

http::Response Service::too_many_requests(const http::Request& request, std::chrono::seconds retry_after) {
  const auto begin = std::chrono::steady_clock::now();
  http::Request named = request;
  http::take_request_id(named);
  Trace trace;
  trace.span = http::span_of(named, options_.spans);
  const Routed& match = routed(named);
  if (match) trace.route = match->route->pattern;
  const Error error = api::rate_limited(retry_after.count());
  const bool of_mcp = match && row_of(*match->route).peek == Peek::kMcp;
  http::Response response = of_mcp ? mcp_too_many_requests(named, error, trace) : http::error_response(error, named.id);
  response.headers.set("Retry-After", std::to_string(retry_after.count()));
  if (const auto token = http::bearer_token(named)) {
    if (const auto known = server_.accesses().recall(*token)) trace.client = known->client_id;
  }
  http::send_version(response);
  http::send_request_id(named.id, response);
  log(named, response, trace, std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin));
  return response;
}

// Windows are short reads unless they search (design D21).
bool Service::may_search(const http::Request& request) const {
  const auto query = http::Query::parse(request.query());
  if (!query) return false;  // rejected without I/O
  model::WindowArguments window;
  if (query->has("q")) window.q = "";
  if (auto cursor = query->one("cursor"); cursor && *cursor) window.cursor = **cursor;
  return server_.windows().may_search(window);
}

http::Response Service::serve(http::Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  http::take_request_id(request);
  Trace trace;
  trace.span = http::span_of(request, options_.spans);
  http::Response response = answer(request, trace);
  http::send_cors(live()->allowed_origins, request, response);
  http::send_request_id(request.id, response);
  log(request, response, trace, std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin));
  return response;
}

void Service::log(const http::Request& request, const http::Response& response, const Trace& trace,
                  std::chrono::microseconds took) {
  std::optional<std::uint64_t> bytes = response.body.size();
  if (response.stream) bytes = response.content_length;
  http::AccessEntry entry{request.id, request.method, trace.route, response.status, bytes, took, request.remote_address};
  entry.owner = trace.owner;
  entry.client = trace.client;
  entry.grants = trace.grants;
  entry.trace_id = trace.span.trace_id;
  const Instant now = clock_.now();
  if (options_.spans && trace.span) {
    options_.spans->add(http::server_span(trace.span, {request, trace.route, response.status, now - took.count(), now}));
  }
  const http::LogFormat log_format = live()->log_format;
  if (trace.calls.empty()) log_.write(http::access_entry(log_format, entry, now));
  for (const mcp::LogLine& call : trace.calls) {  // a JSON array of messages gets a line each
    entry.call = call.method;
    entry.tool = call.tool;
    entry.call_id = call.id;
    entry.outcome = call.outcome;
    entry.trace_id = call.trace_id.empty() ? trace.span.trace_id : call.trace_id;
    log_.write(http::access_entry(log_format, entry, now));
    count_call(call, took);
  }
  count(trace.route, response.status);
  measure(trace.route, took);
}

// Tools and outcomes are constants of this program, so the number of series is small.
void Service::count_call(const mcp::LogLine& call, std::chrono::microseconds took) {
  if (call.tool.empty()) return;
  const MutexLock lock(counters_mutex_);
  ToolMetrics& of_tool = tool_metrics_[call.tool];
  http::Counter*& calls = of_tool.calls[call.outcome];
  if (!calls) {
    calls = &metrics_.counter("ladder_tool_calls_total", "Calls of MCP tools", {{"tool", call.tool}, {"outcome", call.outcome}});
  }
  calls->add();
  if (!of_tool.durations) {
    of_tool.durations = &metrics_.histogram("ladder_tool_seconds", "Time to handle a call of an MCP tool", http::kDurationBounds,
                                            {{"tool", call.tool}});
  }
  of_tool.durations->observe(static_cast<double>(took.count()) / 1e6);
}

void Service::count(std::string_view route, int status) {
  const MutexLock lock(counters_mutex_);
  http::Counter*& found = counters_[{route, status}];  // a route is a pattern owned by the router
  if (!found) {
    found = &metrics_.counter("ladder_requests_total", "Requests answered",
                              {{"route", route.empty() ? "-" : std::string(route)}, {"status", std::to_string(status)}});
  }
  found->add();
}

void Service::measure(std::string_view route, std::chrono::microseconds took) {
  const MutexLock lock(counters_mutex_);
  http::Histogram*& durations = durations_[route];
  if (!durations) {
    durations = &metrics_.histogram("ladder_request_seconds", "Time to produce a response", http::kDurationBounds,
                                    {{"route", route.empty() ? "-" : std::string(route)}});
  }
  durations->observe(static_cast<double>(took.count()) / 1e6);
}

http::Response Service::refuse(const http::Request* head, int status, std::string_view what) {
  http::Request named;
  if (head) named = *head;
  // A path without a route takes no body, so the client gets a 404.
  if (head && status == kTooLarge && !routed(*head)) return serve(named);
  http::take_request_id(named);
  http::Response response = http::refusal(status, what, named.id);
  const auto live_options = live();
  http::send_cors(live_options->allowed_origins, named, response);
  http::send_request_id(named.id, response);
  const http::SpanContext span = http::span_of(named, nullptr);
  const Routed& match = routed(named);
  const std::string_view route = match ? std::string_view(match->route->pattern) : std::string_view();
  http::AccessEntry entry{named.id, named.method, route, status, response.body.size(), {}, named.remote_address};
  entry.trace_id = span.trace_id;
  log_.write(http::access_entry(live_options->log_format, entry, clock_.now()));
  count(entry.route, status);  // no response was produced, so there is no duration
  return response;
}

// Checks run in a fixed order: nothing is read or revealed before the token is validated.
http::Response Service::answer(const http::Request& request, Trace& trace) {
  const auto live_options = live();
  if (const std::string fault = http::host_fault(live_options->hosts, request); !fault.empty()) {
    return http::refusal(kMisdirected, fault, request.id);
  }
  const Routed& match = routed(request);
  const http::Route* const route = match ? match->route : match.error().nearest;
  const bool for_any_origin = route != nullptr && row_of(*route).any_origin;
  if (for_any_origin && request.method == "OPTIONS") return oauth::preflight();
  // A proxy may send a different Host, so pages of the public address are also recognized by that address.
  const bool own_page = request.headers.count("Origin") == 1 && !live_options->public_url.empty() &&
                        http::equal_without_case(*request.headers.get("Origin"), live_options->public_url);
  if (const std::string fault = for_any_origin || own_page ? "" : http::origin_fault(live_options->allowed_origins, request);
      !fault.empty()) {
    return http::refusal(kForbidden, fault, request.id);
  }
  if (auto preflight = http::preflight_answer(live_options->allowed_origins, request)) return *std::move(preflight);
  if (Status version = http::check_version(request); !version) return http::error_response(version.error(), request.id);
  if (!match) return no_route(request, match.error(), trace);
  trace.route = match->route->pattern;
  const RouteRow& row = row_of(*match->route);
  const auto call = [&]() -> Result<http::Response> {
    if (row.of_authorization) return (this->*row.handler)({request, *match, {}, trace});
    LADDER_TRY(auto query, http::Query::parse(request.query()));
    if (!row.any_parameters) LADDER_CHECK(query.only(match->route->query_names()));
    return (this->*row.handler)({request, *match, std::move(query), trace});
  };
  Result<http::Response> result = call();
  if (!result) return with_missing(refused(result.error(), request), result.error(), request, *match, trace);
  if (!row.of_authorization) http::send_version(*result);
  if (for_any_origin) oauth::allow_any_origin(*result);
  return *std::move(result);
}

http::Response Service::no_route(const http::Request& request, const http::NoMatch& why, Trace& trace) {
  if (why.nearest != nullptr) {
    trace.route = why.nearest->pattern;
    // Clients discover how to get a token with any method (docs/mcp.md).
    if (row_of(*why.nearest).peek == Peek::kMcp) {
      if (const auto who = mcp_access(request, trace); !who) return refused(who.error(), request);
    }
  }
  http::Response response = http::refusal(why.status, why.message, request.id);
  if (!why.allow.empty()) response.headers.set("Allow", why.allow);
  return response;
}

Result<http::Response> Service::health(const Call& /*call*/) { return http::Response::json(200, R"({"status":"ok"})"); }

Result<http::Response> Service::openapi_text(const Call& /*call*/) { return http::Response::json(200, openapi_); }

Result<http::Response> Service::metrics_text(const Call& call) {
  LADDER_CHECK(require_operator(call));
  http::Response response;
  response.headers.set("Content-Type", std::string(http::Metrics::kContentType));
  response.body = metrics_.text();
  return response;
}

// The metrics change with every write, including writes that a client may not know about, so only the owner and programs on
// this computer may read them. Requests through a proxy also come from a loopback address, but are not local.
Status Service::require_operator(const Call& call) {
  const http::Request& request = call.request;
  if (request.headers.get("Authorization")) {
    LADDER_TRY(const server::Access who, access(request, call.trace));
    if (who.is_owner()) return {};
    return fail(Code::kPermission, "/metrics requires the owner's token; a client's token only allows what its grants cover");
  }
  const bool over_proxy = live()->public_url.starts_with("https:") && !request.over_tls;
  const bool forwarded = std::ranges::any_of(std::array{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via"},
                                             [&](const char* name) { return request.headers.get(name).has_value(); });
  if (http::is_loopback(request.remote_address) && !over_proxy && !forwarded) return {};
  return fail(Code::kAuthentication,
              "/metrics requires the owner's token (`ladder token create` creates one), or a program on this computer that does "
              "not come through a proxy");
}

// Tells a caller without a valid token where to get one (PDPP "tokens").
http::Response Service::refused(const Error& error, const http::Request& request) const {
  http::Response response = http::error_response(error, request.id);
  if (error.more && error.more->retry_after_seconds >= 0) {
    response.headers.set("Retry-After", std::to_string(error.more->retry_after_seconds));
  }
  const bool of_mcp = routed_path(request) == kMcpPath;
  const std::string metadata = format("{}/.well-known/oauth-protected-resource{}", public_url(request), of_mcp ? "/mcp" : "");
  const std::string scope = server_url(request) ? format(", scope=\"{}\"", auth::kReadScope) : "";
  const bool lacks_rights = error.code == Code::kInsufficientScope || error.code == Code::kStreamNotAllowed ||
                            error.code == Code::kFieldNotGranted || error.code == Code::kGrantExpired ||
                            error.code == Code::kGrantRevoked;
  if (lacks_rights && server_url(request)) {
    // Hosts request more access, or a new token, when they see this header.
    response.headers.set("WWW-Authenticate",
                         format("Bearer error=\"insufficient_scope\", resource_metadata=\"{}\"{}", metadata, scope));
  }
  if (error.code != Code::kAuthentication) return response;
  const bool sent_one = of_mcp && request.headers.get("Authorization").has_value();
  response.headers.set("WWW-Authenticate", format("Bearer resource_metadata=\"{}\"{}{}", metadata, scope,
                                                  sent_one ? ", error=\"invalid_token\"" : ""));
  json::Writer more;
  more.begin_object().member("resource_metadata", metadata);
  more.member("next_step", server_url(request) ? "get a token as described in resource_metadata, or ask the owner for one"
                                               : "ask the owner for a token: `ladder grant create` creates one for a client");
  more.end_object();
  const std::string members = more.take();
  response.body.resize(response.body.size() - 2);  // removes the two closing braces, to append to the inner object
  response.body += "," + members.substr(1) + "}";
  return response;
}

// An insufficient-access error lists the missing access in the form of an authorization request.
http::Response Service::with_missing(http::Response response, const Error& error, const http::Request& request,
                                     const http::Match& match, Trace& trace) {
  if (error.code != Code::kStreamNotAllowed && error.code != Code::kFieldNotGranted) return response;
  const auto query = http::Query::parse(request.query());
  const auto caller = access(request, trace);
  if (!query || !caller || caller->is_owner()) return response;
  std::vector<std::string> named;
  for (const char* name : {"fields", "field", "sort", "group_by", "group_by_time"}) {
    auto values = query->many(name, true);
    if (!values) continue;
    for (std::string& value : *values) {
      if (value.starts_with('/')) value.erase(0, 1);  // a JSON Pointer
      value.resize(std::min(value.find_first_of("/.["), value.size()));
      named.push_back(std::move(value));
    }
  }
  for (const http::Parameter* condition : query->nested("filter")) {
    if (!condition->path.empty()) named.push_back(condition->path.front());
  }
  api::SchemaRequest asked;
  asked.counted = false;
  const auto view = server_.reads().schema(*caller, asked);
  const std::string missing = view ? api::missing_rights(*view, match.at("stream"), named) : "";
  if (missing.empty() || !response.body.ends_with("}}")) return response;
  response.body.insert(response.body.size() - 2, ",\"authorization_details\":" + missing);
  return response;
}

Result<server::Access> Service::access(const http::Request& request, Trace& trace) {
  LADDER_TRY(const std::string token, http::bearer_token(request));
  LADDER_TRY(server::Access who, server_.accesses().authenticate(token));
  who.set_arrived(request.arrived);
  who.set_call({trace.route == "/mcp" ? "mcp" : "rest", std::string(trace.route), request.id});
  if (who.is_owner()) trace.owner = who.owner_name();
  trace.client = who.client_id();
  trace.grants.clear();  // left over from an earlier token check of the same request
  for (const auto& held : who.grants()) trace.grants.push_back(held->grant.grant_id);
  return who;
}

std::string Service::public_url(const http::Request& request) const {
  if (const auto live_options = live(); !live_options->public_url.empty()) return live_options->public_url;
  return format("{}://{}", request.over_tls ? "https" : "http", request.headers.get("Host").value_or("localhost"));
}

}  // namespace ladder::rest

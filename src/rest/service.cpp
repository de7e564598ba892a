#include "rest/service.h"

#include "api/resource_port.h"
#include "http/middleware/host_check.h"
#include "http/middleware/request_headers.h"
#include "mcp/http/posted_message.h"
#include "pages/gate.h"
#include "pages/page.h"
#include "rest/error_responses.h"
#include "server/resource_server.h"

#include <algorithm>
#include <chrono>

namespace ladder::rest {
namespace {

constexpr int kMisdirected = 421;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kTooLarge = 413;

constexpr std::string_view kMcpPath = "/mcp";

// Users often paste the MCP address with a trailing slash. A redirect would make hosts drop their token, so both addresses
// work, and so do their metadata, which hosts look for under the pasted address.
std::string_view routed_path(const http::Request& request) {
  const std::string_view path = request.path();
  const bool of_mcp = path.ends_with("/mcp/") && (path.size() == kMcpPath.size() + 1 || path.starts_with("/.well-known/"));
  return of_mcp ? path.substr(0, path.size() - 1) : path;
}

// A browser that opens an address. Programs get JSON, also below these paths.
bool is_page_request(const http::Request& request) {
  const std::string_view path = request.path();
  const bool is_of_programs = path.starts_with("/v1/") || path.starts_with(kMcpPath) || path.starts_with("/oauth/") ||
                              path.starts_with("/.well-known/") || path.starts_with("/assets/");
  return !is_of_programs && (request.method == "GET" || request.method == "HEAD") &&
         request.headers.get("Accept").value_or("").find("text/html") != std::string_view::npos;
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

Service::Service(server::ResourceServer& server, ServiceOptions options, const Clock& clock, http::LogSink& log,
                 std::vector<RouteRow> rows, http::Router router)
    : options_(std::move(options)),
      rows_(std::move(rows)),
      router_(std::move(router)),
      openapi_(rest::openapi(rows_, options_.version)),
      addresses_(options_.live, options_.authorization != nullptr),
      accesses_(server.accesses()),
      quotas_(server.quotas()),
      reads_(server.reads()),
      log_(log, options_.spans, metrics_, clock, addresses_),
      ready_check_([&maintenance = server.maintenance()] { return maintenance.check_store(); }),
      mcp_(options_.mcp, mcp::ladder_tool_registry()),
      handlers_(make_handlers(server, clock)) {}

// The handlers get references to the other members, which are created first.
Handlers Service::make_handlers(server::ResourceServer& server, const Clock& clock) {
  if (options_.authorization != nullptr) {
    site_.emplace(*options_.authorization);
    console_.emplace(*options_.authorization, options_.importer,
                     console::About{options_.version, options_.environment, options_.painter, options_.syncs, options_.asking,
                                    options_.backups, options_.notifications});
    oauth_.emplace(*options_.authorization);
  }
  const server::ReadRoles reads = server.read_roles();
  const PageHandlers pages{addresses_, site_ ? &*site_ : nullptr, console_ ? &*console_ : nullptr, oauth_ ? &*oauth_ : nullptr};
  return {SchemaHandlers{server.reads(), server.sources(), server.imports()},
          ReadHandlers{reads},
          BlobHandlers{server.reads()},
          WriteHandlers{server.sources(), server.ingest(), server.erasures()},
          GrantHandlers{addresses_, options_.issuer, server.grants(), server.owner_tokens()},
          LedgerHandlers{server.ledger(), clock},
          McpHandlers{addresses_, reads, mcp_, options_.spans},
          pages,
          DiscoveryHandlers{accesses_, addresses_, pages, options_.issuer, openapi_, ready_check_, metrics_}};
}

const Service::Routed& Service::routed(const http::Request& request) const {
  if (!request.route) request.route = std::make_shared<const Routed>(router_.match(request.method, routed_path(request)));
  return *static_cast<const Routed*>(request.route.get());
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
  return !options_.reads_wait && is_short_window(peek, request) ? http::Placement::kHere : match->route->placement;
}

// A window without a search reads a bounded number of rows.
bool Service::is_short_window(Peek peek, const http::Request& request) const {
  if (peek == Peek::kWindow) return !std::get<ReadHandlers>(handlers_).may_search_window(request);
  return peek == Peek::kMcp && std::get<McpHandlers>(handlers_).is_short_call(request);
}

http::Party Service::party(const http::Request& request) const {
  http::Party party;
  if (const auto known = recall(accesses_, request)) {
    party.owner = std::to_string(known->owner);
    party.client = known->is_owner ? "" : "client " + known->client_id;
  }
  const Routed& match = routed(request);
  if (!match) return party;
  const RouteRow& row = row_of(*match->route);
  party.weight = row.weight;
  if (is_short_window(row.peek, request)) {
    party.weight = http::Weight::kLight;
  } else if (row.peek == Peek::kMcp) {
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
  http::Response response =
      of_mcp ? std::get<McpHandlers>(handlers_).too_many_requests(named, error, trace) : http::error_response(error, named.id);
  response.headers.set("Retry-After", std::to_string(retry_after.count()));
  if (const auto known = recall(accesses_, named)) trace.client = known->client_id;
  http::send_version(response);
  http::send_request_id(named.id, response);
  log_.add(named, response, trace, begin);
  return response;
}

http::Response Service::serve(http::Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  http::take_request_id(request);
  request.from_trusted_proxy = std::ranges::any_of(addresses_.options()->trusted_proxies, [&](const http::Network& proxies) {
    return proxies.contains(request.remote_address);
  });
  Trace trace;
  trace.span = http::span_of(request, options_.spans);
  http::Response response = answer(request, trace);
  http::send_cors(addresses_.options()->allowed_origins, request, response);
  http::send_request_id(request.id, response);
  log_.add(request, response, trace, begin);
  return response;
}

http::Response Service::refuse(const http::Request* head, int status, std::string_view what) {
  http::Request named;
  if (head) named = *head;
  // A path without a route takes no body, so the client gets a 404.
  if (head && status == kTooLarge && !routed(*head)) return serve(named);
  http::take_request_id(named);
  http::Response response = http::refusal(status, what, named.id);
  const auto live = addresses_.options();
  http::send_cors(live->allowed_origins, named, response);
  http::send_request_id(named.id, response);
  Trace trace;
  trace.span = http::span_of(named, nullptr);
  if (const Routed& match = routed(named)) trace.route = match->route->pattern;
  log_.add(named, response, trace, {});
  return response;
}

// Checks run in a fixed order: nothing is read or revealed before the token is validated.
http::Response Service::answer(const http::Request& request, Trace& trace) {
  const auto live = addresses_.options();
  if (const std::string fault = http::host_fault(live->hosts, request); !fault.empty()) {
    return http::refusal(kMisdirected, fault, request.id);
  }
  const Routed& match = routed(request);
  const http::Route* const route = match ? match->route : match.error().nearest;
  const bool for_any_origin = route != nullptr && row_of(*route).any_origin;
  if (for_any_origin && request.method == "OPTIONS") return oauth::preflight();
  // A proxy may send a different Host, so pages of the public address are also recognized by that address.
  const bool own_page = request.headers.count("Origin") == 1 && !live->public_url.empty() &&
                        http::equal_without_case(*request.headers.get("Origin"), live->public_url);
  const bool from_browser = route != nullptr && row_of(*route).from_browser && pages::is_sent_by_browser(request);
  if (const std::string fault =
          for_any_origin || own_page || from_browser ? "" : http::origin_fault(live->allowed_origins, request);
      !fault.empty()) {
    return http::refusal(kForbidden, fault, request.id);
  }
  if (auto preflight = http::preflight_answer(live->allowed_origins, request)) return *std::move(preflight);
  if (Status version = http::check_version(request); !version) return http::error_response(version.error(), request.id);
  if (!match) return no_route(request, match.error(), trace);
  trace.route = match->route->pattern;
  const RouteRow& row = row_of(*match->route);
  Call call{request, *match, {}, trace, {}};
  Answer result = handle(row, call);
  if (!result) return failed(addresses_, reads_, result.error(), call);
  if (!row.of_authorization) http::send_version(*result);
  if (for_any_origin) oauth::allow_any_origin(*result);
  return *std::move(result);
}

Answer Service::handle(const RouteRow& row, Call& call) const {
  if (row.of_authorization) return row.handler(handlers_, call);
  LADDER_TRY(call.query, http::Query::parse(call.request.query()));
  if (!row.any_parameters) LADDER_CHECK(call.query.only(call.match.route->query_names()));
  if (row.caller != Caller::kAnyone) {
    LADDER_TRY(call.access, check_caller(accesses_, row.caller, call.request, call.trace));
    LADDER_TRY(call.trace.ticket, quotas_.admit_request(call.access->owner()));
  }
  return row.handler(handlers_, call);
}

http::Response Service::no_route(const http::Request& request, const http::NoMatch& why, Trace& trace) {
  if (why.nearest != nullptr) {
    trace.route = why.nearest->pattern;
    // Clients discover how to get a token with any method (docs/reference/mcp.md).
    if (row_of(*why.nearest).peek == Peek::kMcp) {
      if (const auto who = check_caller(accesses_, Caller::kClient, request, trace); !who)
        return refused(addresses_, who.error(), request, trace);
    }
  }
  if (why.status == kNotFound && site_ && is_page_request(request)) {
    pages::Frame frame;
    frame.title = "Page not found";
    return pages::message_page(kNotFound, frame, "This page does not exist",
                               "The address may be mistyped, or the page was moved. Ladder at the top leads to Home.");
  }
  http::Response response = http::refusal(why.status, why.message, request.id);
  if (!why.allow.empty()) response.headers.set("Allow", why.allow);
  return response;
}

}  // namespace ladder::rest

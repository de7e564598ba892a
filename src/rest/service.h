// The REST interface of a resource server: requests are checked in a fixed order (host, origin, version, route, parameters,
// token) and served by server/. Errors use the PDPP envelope; every response has a request id and a line in the access log.
#pragma once

#include "base/mutex.h"
#include "console/console.h"
#include "http/message/query.h"
#include "http/middleware/access_log.h"
#include "http/middleware/host_check.h"
#include "http/middleware/metrics.h"
#include "http/router.h"
#include "http/server.h"
#include "http/trace/trace.h"
#include "json/writer.h"
#include "mcp/http/transport.h"
#include "oauth/endpoints.h"
#include "pages/site.h"
#include "rest/ready_check.h"
#include "rest/routes.h"
#include "server/resource_server.h"

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ladder::rest {

// Options that may change at run time.
struct LiveOptions {
  http::HostRule hosts = {};
  std::vector<std::string> allowed_origins = {};
  std::string public_url = {};  // e.g. https://data.example; empty: from the Host header of a trusted request
  http::LogFormat log_format = http::LogFormat::kJson;
};

struct ServiceOptions {
  LiveOptions live;
  std::string issuer;                                  // an external authorization server, named in the metadata; empty: this one
  std::string version;                                 // Ladder's version
  bool reads_wait = false;                             // reads run on workers, since each waits for a database server
  http::SpanSink* spans = nullptr;                     // receives spans of requests and MCP calls; null: disabled
  auth::AuthorizationServer* authorization = nullptr;  // null: tokens come from elsewhere, and there are no pages
  console::Importer* importer = nullptr;               // imports files dropped on the console; null: disabled
  console::Surroundings* surroundings = nullptr;       // for the console's settings; null: none
  console::SyncedSources* syncs = nullptr;             // for the console's sources; null: none
  console::PagePainter* painter = nullptr;             // renders document pages for the console; null: none
  mcp::Options mcp;                                    // its version, address and fence key are set here
};

// The facts for the access log, in addition to the head of a request.
struct Trace {
  http::SpanContext span;           // empty if the caller sent none and spans are disabled
  std::string_view route;           // the pattern
  std::vector<mcp::LogLine> calls;  // calls in an MCP request
  std::string owner, client;        // the caller: the owner by name, or a client by id
  std::vector<std::string> grants;  // the ids of its grants
};

// A routed request.
struct Call {
  const http::Request& request;
  const http::Match& match;
  http::Query query;
  Trace& trace;
};

class Service final : public http::Application {
 public:
  static Result<std::unique_ptr<Service>> create(server::ResourceServer& server, const ServiceOptions& options,
                                                 const Clock& clock, http::LogSink& log);

  std::size_t body_limit(const http::Request& head) const override;
  http::Placement placement(http::Request& request) const override;
  bool ends_with_its_stream(const http::Request& request) const override;
  http::Party party(const http::Request& request) const override;
  http::Response serve(http::Request& request) override;
  http::Response refuse(const http::Request* head, int status, std::string_view what) override;
  http::Response too_many_requests(const http::Request& request, std::chrono::seconds retry_after) override;

  // Takes effect with the next request.
  void change(LiveOptions options);

  // The metrics of /metrics; the program adds its own gauges.
  http::Metrics& metrics() { return metrics_; }

  // The handlers of routes.cpp, in metadata.cpp, reads.cpp, blobs.cpp, ledger.cpp, owner.cpp and mcp.cpp.
  Result<http::Response> schema(const Call& call);
  Result<http::Response> connectors(const Call& call);
  Result<http::Response> streams(const Call& call);
  Result<http::Response> stream(const Call& call);
  Result<http::Response> records(const Call& call);
  Result<http::Response> record(const Call& call);
  Result<http::Response> field_window(const Call& call);
  Result<http::Response> aggregate(const Call& call);
  Result<http::Response> search(const Call& call);
  Result<http::Response> blob(const Call& call);
  Result<http::Response> ingest(const Call& call);
  Result<http::Response> put_blob(const Call& call);
  Result<http::Response> delete_record(const Call& call);
  Result<http::Response> delete_records(const Call& call);
  Result<http::Response> erasures(const Call& call);
  Result<http::Response> grants(const Call& call);
  Result<http::Response> grant(const Call& call);
  Result<http::Response> revoke_grant(const Call& call);
  Result<http::Response> introspect(const Call& call);
  Result<http::Response> ledger(const Call& call);
  Result<http::Response> ledger_seen(const Call& call);
  Result<http::Response> ledger_use(const Call& call);
  Result<http::Response> ledger_state(const Call& call);
  Result<http::Response> set_ledger(const Call& call);
  Result<http::Response> set_budget(const Call& call);
  Result<http::Response> mcp(const Call& call);
  Result<http::Response> mcp_metadata(const Call& call);
  Result<http::Response> index(const Call& call);
  Result<http::Response> ready(const Call& call);
  Result<http::Response> health(const Call& call);
  Result<http::Response> metrics_text(const Call& call);
  Result<http::Response> openapi_text(const Call& call);
  Result<http::Response> resource_metadata(const Call& call);

  // The routes of the authorization server (authorization.cpp). They exist only at the address that clients use.
  Result<http::Response> authorize(const Call& call);
  Result<http::Response> poll_agent(const Call& call);
  Result<http::Response> asset(const Call& call);
  template <auto kPage, pages::Section kSection = pages::Section::kNone>
  Result<http::Response> console_page(const Call& call) {
    return at_address(call, [&](const auth::ServerUrl& here) { return console_->serve(kPage, kSection, call.request, here); });
  }
  template <auto kPage, pages::Gate::Audience kAudience = pages::Gate::Audience::kOwner>
  Result<http::Response> site_page(const Call& call) {
    return at_address(call, [&](const auth::ServerUrl& here) { return site_->serve(kPage, kAudience, call.request, here); });
  }
  template <pages::ConsentAction kAction>
  Result<http::Response> consent_action(const Call& call) {
    return at_address(call, [&](const auth::ServerUrl& here) { return site_->serve_action(kAction, call.request, here); });
  }
  // An endpoint that takes the request, the server's address, or both.
  template <auto kEndpoint>
  Result<http::Response> oauth_endpoint(const Call& call) {
    return at_address(call, [&](const auth::ServerUrl& here) {
      using Function = decltype(kEndpoint);
      if constexpr (std::is_invocable_v<Function, oauth::Endpoints&, const http::Request&, const auth::ServerUrl&>)
        return std::invoke(kEndpoint, *oauth_, call.request, here);
      else if constexpr (std::is_invocable_v<Function, oauth::Endpoints&, const http::Request&>)
        return std::invoke(kEndpoint, *oauth_, call.request);
      else return std::invoke(kEndpoint, *oauth_, here);
    });
  }

 private:
  Service(server::ResourceServer& server, ServiceOptions options, const Clock& clock, http::LogSink& log,
          std::vector<RouteRow> rows, http::Router router)
      : server_(server),
        options_(std::move(options)),
        clock_(clock),
        log_(log),
        rows_(std::move(rows)),
        router_(std::move(router)),
        openapi_(openapi(rows_, options_.version)),
        mcp_(options_.mcp, mcp::ladder_tool_registry()) {
    change(options_.live);
    if (options_.authorization != nullptr) {
      site_.emplace(*options_.authorization);
      console_.emplace(*options_.authorization, options_.importer,
                       console::About{options_.version, options_.surroundings, options_.painter, options_.syncs});
      oauth_.emplace(*options_.authorization);
    }
  }

  std::shared_ptr<const LiveOptions> live() const {
    const MutexLock lock(live_mutex_);
    return live_;
  }
  http::Response answer(const http::Request& request, Trace& trace);
  using Routed = std::expected<http::Match, http::NoMatch>;
  // Matches the request once, and keeps the result in it.
  const Routed& routed(const http::Request& request) const;
  const RouteRow& row_of(const http::Route& route) const { return rows_[static_cast<std::size_t>(route.handler)]; }
  Result<http::Response> at_address(const Call& call, const std::function<http::Response(const auth::ServerUrl& here)>& serve);
  // Returns the address that clients use for this server; nothing if it is uncertain, or the server does not authorize clients.
  std::optional<auth::ServerUrl> server_url(const http::Request& request) const;
  bool wants_page(const http::Request& request) const;
  http::Response no_route(const http::Request& request, const http::NoMatch& why, Trace& trace);
  void log(const http::Request& request, const http::Response& response, const Trace& trace, std::chrono::microseconds took);
  void count(std::string_view route, int status);
  void measure(std::string_view route, std::chrono::microseconds took);
  void count_call(const mcp::LogLine& call, std::chrono::microseconds took);
  Status require_operator(const Call& call);

  void write_authorization(json::Writer& out, const http::Request& request) const;

  bool may_search(const http::Request& request) const;
  bool is_short_mcp_call(const http::Request& request) const;
  mcp::HttpCall mcp_call(const http::Request& request, const Trace& trace) const;
  http::Response mcp_too_many_requests(const http::Request& request, const Error& error, Trace& trace);
  Result<server::Access> access(const http::Request& request, Trace& trace);
  Result<server::Access> access(const Call& call) { return access(call.request, call.trace); }
  Result<server::Access> mcp_access(const http::Request& request, Trace& trace);  // kPermission for an owner's token
  static Status require_owner(const server::Access& who);                         // checked before the error can reveal anything
  // Reads the caller's schema, limited to the connection or source in the query.
  Result<api::SchemaView> narrowed_schema(const Call& call, const server::Access& who, std::vector<api::Warning>& warnings);
  // Returns the error for a stream that the caller cannot read. It names the connection or the stream.
  std::unexpected<Error> no_such_stream(const server::Access& who, api::SchemaRequest request);
  // Returns the connection that an owner's change applies to: the named one, or the only active one of the named source.
  Result<std::string> written_connection(const Call& call, const server::Access& who, std::vector<api::Warning>& warnings);
  http::Response refused(const Error& error, const http::Request& request) const;
  http::Response with_missing(http::Response response, const Error& error, const http::Request& request, const http::Match& match,
                              Trace& trace);
  std::string public_url(const http::Request& request) const;

  server::ResourceServer& server_;
  ServiceOptions options_;  // except the options in live_
  mutable Mutex live_mutex_;
  std::shared_ptr<const LiveOptions> live_ LADDER_GUARDED_BY(live_mutex_);
  const Clock& clock_;
  http::LogSink& log_;
  ReadyCheck ready_check_{[this] { return server_.maintenance().check_store(); }};
  std::vector<RouteRow> rows_;
  http::Router router_;
  std::string openapi_;
  mcp::HttpTransport mcp_;
  std::optional<pages::Site> site_;
  std::optional<console::Console> console_;
  std::optional<oauth::Endpoints> oauth_;
  http::Metrics metrics_;
  Mutex counters_mutex_;
  std::map<std::pair<std::string_view, int>, http::Counter*> counters_
      LADDER_GUARDED_BY(counters_mutex_);  // by route and status: each is looked up once
  std::map<std::string_view, http::Histogram*> durations_ LADDER_GUARDED_BY(counters_mutex_);  // by route
  struct ToolMetrics {
    std::map<std::string, http::Counter*, std::less<>> calls = {};  // by outcome
    http::Histogram* durations = nullptr;
  };
  std::map<std::string, ToolMetrics, std::less<>> tool_metrics_ LADDER_GUARDED_BY(counters_mutex_);  // by tool
};

}  // namespace ladder::rest

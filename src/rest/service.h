// The REST interface of a resource server: requests are checked in a fixed order (host, origin, version, route, parameters,
// token) and served by handlers. Errors use the PDPP envelope; every response has a request id and a line in the access log.
// Service creates all parts of the interface and gives each the roles that it needs.
#pragma once

#include "http/middleware/metrics.h"
#include "http/server.h"
#include "rest/handlers.h"
#include "rest/request_log.h"
#include "rest/routes.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {
class ResourceServer;
}

namespace ladder::rest {

struct ServiceOptions {
  LiveOptions live;
  std::string issuer;                                  // an external authorization server, named in the metadata; empty: this one
  std::string version;                                 // Ladder's version
  bool reads_wait = false;                             // reads run on workers, since each waits for a database server
  http::SpanSink* spans = nullptr;                     // receives spans of requests and MCP calls; null: disabled
  auth::AuthorizationServer* authorization = nullptr;  // null: tokens come from elsewhere, and there are no pages
  console::Importer* importer = nullptr;               // imports files dropped on the console; null: disabled
  console::ServerEnvironment* environment = nullptr;   // for the console's settings; null: none
  console::SyncedSources* syncs = nullptr;             // for the console's sources; null: none
  ask::Ask* asking = nullptr;                          // writes answers on the console; null: passages only
  console::Backups* backups = nullptr;                 // for the console's settings; null: none
  notify::NotifyStore* notifications = nullptr;        // for the console's settings; null: none
  console::PagePainter* painter = nullptr;             // renders document pages for the console; null: none
  mcp::Options mcp;                                    // its version, address and fence key are set here
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

  void change(LiveOptions options) { addresses_.change(std::move(options)); }
  void become_unready() { ready_check_.stop(); }  // /readyz says from now on that the server is stopping

  // The metrics of /metrics; the program adds its own gauges.
  http::Metrics& metrics() { return metrics_; }

 private:
  Service(server::ResourceServer& server, ServiceOptions options, const Clock& clock, http::LogSink& log,
          std::vector<RouteRow> rows, http::Router router);

  Handlers make_handlers(server::ResourceServer& server, const Clock& clock);
  http::Response answer(const http::Request& request, Trace& trace);
  using Routed = std::expected<http::Match, http::NoMatch>;
  // Matches the request once, and keeps the result in it.
  const Routed& routed(const http::Request& request) const;
  bool is_short_window(Peek peek, const http::Request& request) const;
  const RouteRow& row_of(const http::Route& route) const { return rows_[static_cast<std::size_t>(route.handler)]; }
  Answer handle(const RouteRow& row, Call& call) const;  // checks the parameters and the token, then calls the handler
  http::Response no_route(const http::Request& request, const http::NoMatch& why, Trace& trace);

  const ServiceOptions options_;  // except the options in addresses_
  const std::vector<RouteRow> rows_;
  const http::Router router_;
  const std::string openapi_;
  Addresses addresses_;
  server::Accesses& accesses_;
  server::OwnerQuotas& quotas_;
  server::Reads& reads_;
  http::Metrics metrics_;
  RequestLog log_;
  ReadyCheck ready_check_;
  mcp::HttpTransport mcp_;
  std::optional<pages::Site> site_;
  std::optional<console::Console> console_;
  std::optional<oauth::Endpoints> oauth_;
  const Handlers handlers_;
};

}  // namespace ladder::rest

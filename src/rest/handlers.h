// The handlers of the routes, one class per subject. Each holds only the roles of the resource server that it uses.
// routes.cpp names the path of every handler; Service creates them.
#pragma once

#include "console/console.h"
#include "http/middleware/metrics.h"
#include "json/writer.h"
#include "mcp/http/transport.h"
#include "oauth/endpoints.h"
#include "pages/site.h"
#include "rest/addresses.h"
#include "rest/call.h"
#include "rest/ready_check.h"
#include "server/local_port.h"

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ladder::rest {

// schema.cpp: the readable sources and streams.
struct SchemaHandlers {
  server::Reads& reads;
  server::Sources& sources;
  server::Imports& imports;

  Answer schema(const Call& call) const;
  Answer connectors(const Call& call) const;
  Answer streams(const Call& call) const;
  Answer stream(const Call& call) const;
};

// reads.cpp: records, windows, counts and search.
struct ReadHandlers {
  server::ReadRoles roles;

  Answer records(const Call& call) const;
  Answer record(const Call& call) const;
  Answer field_window(const Call& call) const;
  Answer aggregate(const Call& call) const;
  Answer search(const Call& call) const;
  bool may_search_window(const http::Request& request) const;  // windows are short reads unless they search (design D21)
};

// blobs.cpp: the bytes of a blob, complete or as one range.
struct BlobHandlers {
  server::Reads& reads;

  Answer blob(const Call& call) const;
};

// writes.cpp: records and blobs that the owner adds or erases.
struct WriteHandlers {
  server::Sources& sources;
  server::Ingest& ingest;
  server::Erasures& erasures;

  Answer add_records(const Call& call) const;
  Answer add_blob(const Call& call) const;
  Answer erase_record(const Call& call) const;
  Answer erase_stream(const Call& call) const;
  Answer erasure_state(const Call& call) const;
};

// grants.cpp: the owner's grants and tokens.
struct GrantHandlers {
  const Addresses& addresses;
  std::string_view issuer;  // omitted from the facts about a token if it is empty
  server::Grants& grants;
  server::OwnerTokens& tokens;

  Answer list(const Call& call) const;
  Answer find(const Call& call) const;
  Answer revoke(const Call& call) const;
  Answer introspect(const Call& call) const;
};

// ledger.cpp: the disclosure ledger and the budgets.
struct LedgerHandlers {
  server::OwnerLedger& ledger;
  const Clock& clock;

  Answer entries(const Call& call) const;
  Answer seen(const Call& call) const;
  Answer use(const Call& call) const;
  Answer state(const Call& call) const;
  Answer set_retention(const Call& call) const;
  Answer set_budget(const Call& call) const;
};

// mcp.cpp: the Model Context Protocol. mcp/http/ does everything but the token check.
struct McpHandlers {
  const Addresses& addresses;
  server::ReadRoles roles;
  mcp::HttpTransport& transport;
  http::SpanSink* spans;

  Answer mcp(const Call& call) const;
  http::Response too_many_requests(const http::Request& request, const Error& error, Trace& trace) const;
  bool is_short_call(const http::Request& request) const;  // it reads a window without a search (design D21)
};

// pages.cpp: the authorization server and the owner's pages. They exist only at the address that clients use: --public-url, or
// a loopback name.
struct PageHandlers {
  const Addresses& addresses;
  // The parts are null if tokens come from elsewhere.
  pages::Site* site;
  console::Console* console;
  oauth::Endpoints* endpoints;

  Answer authorize(const Call& call) const;
  Answer poll_agent(const Call& call) const;
  Answer asset(const Call& call) const;
  Answer manifest(const Call& call) const;
  Answer console_page(console::Console::Page page, pages::Section section, const Call& call) const;
  Answer site_page(pages::Site::Page page, pages::Gate::Audience audience, const Call& call) const;
  Answer consent_action(pages::ConsentAction action, const Call& call) const;
  Answer oauth_endpoint(oauth::Endpoints::Endpoint endpoint, const Call& call) const;
};

// discovery.cpp: requests without a token, from the links between the endpoints to the metrics (PDPP "discovery").
struct DiscoveryHandlers {
  server::Accesses& accesses;
  const Addresses& addresses;
  PageHandlers pages;
  std::string_view issuer;   // an external authorization server; empty: this one
  std::string_view openapi;  // the text of /openapi.json
  ReadyCheck& ready_check;
  const http::Metrics& metrics;

  Answer index(const Call& call) const;
  Answer ready(const Call& call) const;
  Answer health(const Call& call) const;
  Answer metrics_text(const Call& call) const;
  Answer openapi_text(const Call& call) const;
  Answer resource_metadata(const Call& call) const;
  Answer mcp_metadata(const Call& call) const;
};

using Handlers = std::tuple<SchemaHandlers, ReadHandlers, BlobHandlers, WriteHandlers, GrantHandlers, LedgerHandlers, McpHandlers,
                            PageHandlers, DiscoveryHandlers>;
using Handler = Answer (*)(const Handlers& handlers, const Call& call);

template <class Subject>
using HandlerMethod = Answer (Subject::*)(const Call& call) const;

// Calls a method of the class in Handlers that has it.
template <auto kMethod>
Answer handle(const Handlers& handlers, const Call& call) {
  return [&]<class Subject>(HandlerMethod<Subject> method) { return (std::get<Subject>(handlers).*method)(call); }(kMethod);
}

}  // namespace ladder::rest

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
#include "rest/callers.h"
#include "rest/ready_check.h"
#include "server/local_port.h"

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ladder::rest {

// schema.cpp: the readable sources and streams.
class SchemaHandlers {
 public:
  SchemaHandlers(const Callers& callers, server::Reads& reads, server::Sources& sources, server::Imports& imports)
      : callers_(callers), reads_(reads), sources_(sources), imports_(imports) {}
  Answer schema(const Call& call) const;
  Answer connectors(const Call& call) const;
  Answer streams(const Call& call) const;
  Answer stream(const Call& call) const;

 private:
  // Reads the caller's schema, limited to the connection or source in the query.
  Result<api::SchemaView> narrowed_schema(const Call& call, const server::Access& who, std::vector<api::Warning>& warnings) const;
  // Returns the error for a stream that the caller cannot read. It names the connection or the stream.
  std::unexpected<Error> no_such_stream(const server::Access& who, api::SchemaRequest request) const;

  const Callers& callers_;
  server::Reads& reads_;
  server::Sources& sources_;
  server::Imports& imports_;
};

// reads.cpp: records, windows, counts and search.
class ReadHandlers {
 public:
  ReadHandlers(const Callers& callers, const server::ReadRoles& roles) : callers_(callers), roles_(roles) {}
  Answer records(const Call& call) const;
  Answer record(const Call& call) const;
  Answer field_window(const Call& call) const;
  Answer aggregate(const Call& call) const;
  Answer search(const Call& call) const;
  bool may_search_window(const http::Request& request) const;  // windows are short reads unless they search (design D21)

 private:
  const Callers& callers_;
  server::ReadRoles roles_;
};

// blobs.cpp: the bytes of a blob, complete or as one range.
class BlobHandlers {
 public:
  BlobHandlers(const Callers& callers, server::Reads& reads) : callers_(callers), reads_(reads) {}
  Answer blob(const Call& call) const;

 private:
  const Callers& callers_;
  server::Reads& reads_;
};

// writes.cpp: records and blobs that the owner adds or erases.
class WriteHandlers {
 public:
  WriteHandlers(const Callers& callers, server::Sources& sources, server::Ingest& ingest, server::Erasures& erasures)
      : callers_(callers), sources_(sources), ingest_(ingest), erasures_(erasures) {}
  Answer ingest(const Call& call) const;
  Answer put_blob(const Call& call) const;
  Answer delete_record(const Call& call) const;
  Answer delete_records(const Call& call) const;
  Answer erasures(const Call& call) const;

 private:
  // Returns the connection that the change applies to: the named one, or the only active one of the named source.
  Result<std::string> written_connection(const Call& call, const server::Access& who) const;

  const Callers& callers_;
  server::Sources& sources_;
  server::Ingest& ingest_;
  server::Erasures& erasures_;
};

// grants.cpp: the owner's grants and tokens. An empty issuer is omitted from the facts about a token.
class GrantHandlers {
 public:
  GrantHandlers(const Callers& callers, const Addresses& addresses, std::string_view issuer, server::Grants& grants,
                server::OwnerTokens& tokens)
      : callers_(callers), addresses_(addresses), issuer_(issuer), grants_(grants), tokens_(tokens) {}
  Answer grants(const Call& call) const;
  Answer grant(const Call& call) const;
  Answer revoke_grant(const Call& call) const;
  Answer introspect(const Call& call) const;

 private:
  const Callers& callers_;
  const Addresses& addresses_;
  std::string_view issuer_;
  server::Grants& grants_;
  server::OwnerTokens& tokens_;
};

// ledger.cpp: the disclosure ledger and the budgets.
class LedgerHandlers {
 public:
  LedgerHandlers(const Callers& callers, server::OwnerLedger& ledger, const Clock& clock)
      : callers_(callers), ledger_(ledger), clock_(clock) {}
  Answer ledger(const Call& call) const;
  Answer seen(const Call& call) const;
  Answer use(const Call& call) const;
  Answer state(const Call& call) const;
  Answer set_ledger(const Call& call) const;
  Answer set_budget(const Call& call) const;

 private:
  const Callers& callers_;
  server::OwnerLedger& ledger_;
  const Clock& clock_;
};

// mcp.cpp: the Model Context Protocol. mcp/http/ does everything but the token check.
class McpHandlers {
 public:
  McpHandlers(const Callers& callers, const Addresses& addresses, const server::ReadRoles& roles, mcp::HttpTransport& transport,
              http::SpanSink* spans)
      : callers_(callers), addresses_(addresses), roles_(roles), transport_(transport), spans_(spans) {}
  Answer mcp(const Call& call) const;
  http::Response too_many_requests(const http::Request& request, const Error& error, Trace& trace) const;
  bool is_short_call(const http::Request& request) const;  // it reads a window without a search (design D21)

 private:
  mcp::HttpCall http_call(const http::Request& request, const Trace& trace) const;

  const Callers& callers_;
  const Addresses& addresses_;
  server::ReadRoles roles_;
  mcp::HttpTransport& transport_;
  http::SpanSink* spans_;
};

// pages.cpp: the authorization server and the owner's pages. They exist only at the address that clients use: --public-url, or
// a loopback name.
class PageHandlers {
 public:
  // The parts are null if tokens come from elsewhere.
  PageHandlers(const Addresses& addresses, pages::Site* site, console::Console* console, oauth::Endpoints* oauth)
      : addresses_(addresses), site_(site), console_(console), oauth_(oauth) {}
  Answer authorize(const Call& call) const;
  Answer poll_agent(const Call& call) const;
  Answer asset(const Call& call) const;
  Answer console(console::Console::Page page, pages::Section section, const Call& call) const;
  Answer site(pages::Site::Page page, pages::Gate::Audience audience, const Call& call) const;
  Answer consent(pages::ConsentAction action, const Call& call) const;
  Answer endpoint(oauth::Endpoints::Endpoint endpoint, const Call& call) const;

 private:
  Answer at_address(const Call& call, const std::function<http::Response(const auth::ServerUrl& here)>& serve) const;

  const Addresses& addresses_;
  pages::Site* site_;
  console::Console* console_;
  oauth::Endpoints* oauth_;
};

// discovery.cpp: requests without a token, from the links between the endpoints to the metrics (PDPP "discovery").
class DiscoveryHandlers {
 public:
  struct Facts {
    std::string_view issuer;   // an external authorization server; empty: this one
    std::string_view openapi;  // the text of /openapi.json
    ReadyCheck& ready_check;
    const http::Metrics& metrics;
  };
  DiscoveryHandlers(const Callers& callers, const Addresses& addresses, const PageHandlers& pages, const Facts& facts)
      : callers_(callers), addresses_(addresses), pages_(pages), facts_(facts) {}
  Answer index(const Call& call) const;
  Answer ready(const Call& call) const;
  Answer health(const Call& call) const;
  Answer metrics(const Call& call) const;
  Answer openapi(const Call& call) const;
  Answer resource_metadata(const Call& call) const;
  Answer mcp_metadata(const Call& call) const;

 private:
  Status require_operator(const Call& call) const;
  void write_authorization(json::Writer& out, const http::Request& request) const;

  const Callers& callers_;
  const Addresses& addresses_;
  PageHandlers pages_;
  Facts facts_;
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

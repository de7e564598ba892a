// POST /mcp: the HTTP side of the Model Context Protocol. The caller has checked the client's token. The transport checks the
// content types of the request and the response; the protocol does the rest. Each request gets one JSON response, except
// subscriptions/listen. No state is kept between requests, so there is no session.
#pragma once

#include "http/message/message.h"
#include "http/trace/trace.h"
#include "mcp/protocol/server.h"

#include <string>
#include <vector>

namespace ladder::mcp {

// The facts that the HTTP server knows about a request.
struct HttpCall {
  const http::Request& request;
  std::string provider_url;       // the resource server's address for this caller
  std::string client = {};        // limits apply to the sum of this client's subscriptions
  const http::SpanContext& span;  // of the request
  http::SpanSink* spans = nullptr;
};

class HttpTransport {
 public:
  HttpTransport(Options options, ToolRegistry registry) : server_(std::move(options), std::move(registry)) {}

  // `log` receives a line per request in the message.
  http::Response answer(const HttpCall& call, api::ResourcePort& port, std::vector<LogLine>& log);
  // Reports an error as the error of a tool. Hosts show a tool's result to the model, but not an HTTP status.
  http::Response refuse(const HttpCall& call, const Error& error, std::vector<LogLine>& log);

 private:
  Envelope envelope(const HttpCall& call);

  Server server_;
  Subscriptions subscriptions_;
};

}  // namespace ladder::mcp

// A request on its way through the checks to its handler, and what the handler returns.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"
#include "http/message/query.h"
#include "http/router.h"
#include "http/trace/trace.h"
#include "mcp/protocol/server.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

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

using Answer = Result<http::Response>;

}  // namespace ladder::rest

// A request on its way through the checks to its handler, and what the handler returns. The token of a request is checked here.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"
#include "http/message/query.h"
#include "http/router.h"
#include "http/trace/trace.h"
#include "mcp/protocol/server.h"
#include "server/access/accesses.h"
#include "server/access/owner_quotas.h"

#include <cstdint>
#include <optional>
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
  server::RequestTicket ticket;     // counts the request toward the owner's limits until the response is made
};

enum class Caller : std::uint8_t {
  kAnyone,
  kToken,   // a client or the owner
  kClient,  // a client only
  kOwner,
  kSession,  // the owner in a browser, with a session cookie
};

// A routed request.
struct Call {
  const http::Request& request;
  const http::Match& match;
  http::Query query;
  Trace& trace;
  std::optional<server::Access> access;  // of the token, if the route needs one

  const server::Access& who() const { return access.value(); }
};

using Answer = Result<http::Response>;

Result<server::Access> authenticate(server::Accesses& accesses, const http::Request& request, Trace& trace);
// Returns kPermission for the owner's token if a client is required, and for a client's if the owner is. It is called before
// the handler, so that no other error can reveal anything.
Result<server::Access> check_caller(server::Accesses& accesses, Caller required, const http::Request& request, Trace& trace);
// Returns the cached caller: a store lookup would let unauthenticated callers block the I/O threads.
std::optional<server::KnownCaller> recall(const server::Accesses& accesses, const http::Request& request);

}  // namespace ladder::rest

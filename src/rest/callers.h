// Checks the token of a request. Every handler that reads or changes data gets its Access here.
#pragma once

#include "rest/call.h"
#include "server/access/accesses.h"

#include <optional>

namespace ladder::rest {

class Callers {
 public:
  explicit Callers(server::Accesses& accesses) : accesses_(accesses) {}

  Result<server::Access> access(const http::Request& request, Trace& trace) const;  // a client's or the owner's
  Result<server::Access> access(const Call& call) const { return access(call.request, call.trace); }
  // Returns kPermission for a client. Handlers call it first, so that no other error can reveal anything.
  Result<server::Access> owner(const Call& call) const;
  Result<server::Access> mcp_client(const http::Request& request, Trace& trace) const;  // kPermission for an owner's token
  // Returns the cached caller: a store lookup would let unauthenticated callers block the I/O threads.
  std::optional<server::KnownCaller> recall(const http::Request& request) const;

 private:
  server::Accesses& accesses_;
};

}  // namespace ladder::rest

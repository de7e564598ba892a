#include "rest/callers.h"

#include "http/middleware/request_headers.h"

namespace ladder::rest {

Result<server::Access> Callers::access(const http::Request& request, Trace& trace) const {
  LADDER_TRY(const std::string token, http::bearer_token(request));
  LADDER_TRY(server::Access who, accesses_.authenticate(token));
  who.set_arrived(request.arrived);
  who.set_call({trace.route == "/mcp" ? "mcp" : "rest", std::string(trace.route), request.id});
  if (who.is_owner()) trace.owner = who.owner_name();
  trace.client = who.client_id();
  trace.grants.clear();  // left over from an earlier token check of the same request
  for (const auto& held : who.grants()) trace.grants.push_back(held->grant.grant_id);
  return who;
}

Result<server::Access> Callers::owner(const Call& call) const {
  LADDER_TRY(server::Access who, access(call));
  if (who.is_owner()) return who;
  return fail(Code::kPermission, "this requires the owner's token; `ladder token create` creates one");
}

// Owner credentials are not allowed for MCP (design D16).
Result<server::Access> Callers::mcp_client(const http::Request& request, Trace& trace) const {
  LADDER_TRY(server::Access who, access(request, trace));
  if (!who.is_owner()) return who;
  return fail(Code::kPermission,
              "owner tokens are not accepted here; `ladder grant create` creates a token for a client with limited access");
}

std::optional<server::KnownCaller> Callers::recall(const http::Request& request) const {
  const auto token = http::bearer_token(request);
  return token ? accesses_.recall(*token) : std::nullopt;
}

}  // namespace ladder::rest

#include "rest/call.h"

#include "http/middleware/request_headers.h"

namespace ladder::rest {

Result<server::Access> authenticate(server::Accesses& accesses, const http::Request& request, Trace& trace) {
  LADDER_TRY(const std::string token, http::bearer_token(request));
  LADDER_TRY(server::Access who, accesses.authenticate(token));
  who.set_arrived(request.arrived);
  who.set_call({trace.route == "/mcp" ? "mcp" : "rest", std::string(trace.route), request.id});
  if (who.is_owner()) trace.owner = who.owner_name();
  trace.client = who.client_id();
  trace.grants.clear();  // left over from an earlier token check of the same request
  for (const auto& held : who.grants()) trace.grants.push_back(held->grant.grant_id);
  return who;
}

Result<server::Access> check_caller(server::Accesses& accesses, Caller required, const http::Request& request, Trace& trace) {
  LADDER_TRY(server::Access who, authenticate(accesses, request, trace));
  if (required == Caller::kOwner && !who.is_owner())
    return fail(Code::kPermission, "this requires the owner's token; `ladder token create` creates one");
  if (required == Caller::kClient && who.is_owner())  // owner credentials are not allowed for MCP (design D16)
    return fail(Code::kPermission,
                "owner tokens are not accepted here; `ladder grant create` creates a token for a client with limited access");
  return who;
}

std::optional<server::KnownCaller> recall(const server::Accesses& accesses, const http::Request& request) {
  const auto token = http::bearer_token(request);
  return token ? accesses.recall(*token) : std::nullopt;
}

}  // namespace ladder::rest

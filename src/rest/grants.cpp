// Serves the owner's grants and tokens: list, revoke, introspect (PDPP "grants", "tokens").
#include "server/owner/grants.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "rest/handlers.h"
#include "rest/render.h"
#include "server/owner/owner_tokens.h"

#include <chrono>

namespace ladder::rest {
namespace {

using http::Response;

constexpr auto kRevocationTimeout = std::chrono::seconds(2);
constexpr int kAccepted = 202;
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

}  // namespace

Answer GrantHandlers::list(const Call& call) const {
  LADDER_TRY(const auto all, grants.list(call.who()));
  return Response::json(200, render_grants(all));
}

Answer GrantHandlers::find(const Call& call) const {
  LADDER_TRY(const auto summary, grants.find(call.who(), call.match.at("grant")));
  json::Writer out;
  write_grant(out, summary);
  return Response::json(200, out.take());
}

// The grant is refused immediately. If the store cannot save the revocation soon, the response says so.
Answer GrantHandlers::revoke(const Call& call) const {
  const std::string_view grant = call.match.at("grant");
  const auto revoked = grants.revoke(call.who(), grant, Deadline::after(kRevocationTimeout));
  if (revoked) return Response::json(200, R"({"revoked":true})");
  if (revoked.error().code != Code::kStoreUnavailable || !grants.refuses_from_memory(call.who(), grant)) {
    return std::unexpected(revoked.error());
  }
  json::Writer out;
  out.begin_object().member("revoked", true).member("written", false);
  out.member("message",
             format("this server refuses the grant from now on, but could not save the revocation yet and tries again every "
                    "second: until it is saved, other servers and programs that use the same store, and this one "
                    "after a restart, still accept it. The store said: {}",
                    revoked.error().message));
  out.end_object();
  return Response::json(kAccepted, out.take());
}

Answer GrantHandlers::introspect(const Call& call) const {
  if (!http::has_media_type(call.request, kForm)) {
    return fail(Code::kInvalidRequest, format("send the token as a form: token=… with Content-Type {}", kForm), "Content-Type");
  }
  LADDER_TRY(const auto form, http::Query::parse(call.request.body));  // unknown parameters are ignored (RFC 6749, 3.2)
  LADDER_TRY(const auto token, form.one("token"));
  if (!token) return fail(Code::kInvalidRequest, "name the token: token=…", "token");
  LADDER_TRY(const auto facts, tokens.introspect(call.who(), *token));
  Response response = Response::json(200, render_token(facts, issuer, addresses.public_url(call.request)));
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Pragma", "no-cache");
  return response;
}

}  // namespace ladder::rest

// PDPP authorization for programs without a redirect URI: a JSON request that is pushed, an attempt that the client polls, and
// a code that the owner copies by hand. `pdpp connect` uses these endpoints.
#include "auth/body.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/parse.h"
#include "json/writer.h"
#include "oauth/endpoints.h"
#include "pages/form.h"
#include "pages/site.h"

#include <algorithm>
#include <array>

namespace ladder::oauth {
namespace {

using auth::Body;
using auth::OAuthError;
using http::Response;

constexpr std::size_t kMaxBytes = 96 * limits::kKiB;  // authorization_details of 64 KiB and the other members
constexpr std::size_t kMaxDepth = 16;
constexpr std::int64_t kPollSeconds = 2;
constexpr std::string_view kPending = "urn:pdpp:pending-consent:";

auth::OAuthResult<Body> body_of(const http::Request& request) {
  if (!http::has_media_type(request, "application/json")) return auth::refuse("invalid_request", "send JSON: application/json");
  auto tree = json::parse(request.body, kMaxBytes, kMaxDepth);
  if (!tree || !tree->is_object()) return auth::refuse("invalid_request", "the body is not one JSON object");
  return Body(*std::move(tree));
}

auth::AuthorizeParameters authorize_parameters(const Body& body, const http::Request& request,
                                               const auth::ServerUrl& server_url) {
  auth::AuthorizeParameters parameters;
  parameters.address = pages::caller_address(request, server_url.base);
  parameters.client_id = body.text("client_id");
  parameters.resource = body.text("resource");
  parameters.scope = body.text("scope");
  parameters.details = body.raw("authorization_details");
  return parameters;
}

}  // namespace

Response Endpoints::push_json(const http::Request& request, const auth::ServerUrl& server_url) const {
  const auto body = body_of(request);
  if (!body) return error_answer(body.error());
  constexpr std::array<std::string_view, 5> kMembers = {"client_id", "authorization_details", "client_display", "scenario_id",
                                                        "parent_package_id"};
  for (const auto& member : body->tree().get_object()) {
    if (std::ranges::find(kMembers, std::string_view(member.key())) == kMembers.end()) {
      return error_answer({400, "invalid_request", "the body has an unknown member", -1});
    }
  }
  if (!body->has("authorization_details")) {
    return error_answer({400, "invalid_authorization_details", "authorization_details is missing", -1});
  }
  const auto begun = authorization_.requests().begin_review(authorize_parameters(*body, request, server_url), server_url);
  if (!begun) return error_answer(begun.error());
  const std::string uri = std::string(kPending) + begun->id;
  json::Writer out;
  out.begin_object().member("request_uri", uri);
  out.member("authorization_url", format("{}/consent?request_uri={}", server_url.base, uri));
  out.member("expires_in", auth::kRequestLife / kSecond).end_object();
  return no_store(Response::json(201, out.take()));
}

// Creates an attempt. The owner decides at approval_url, and the holder of polling_code gets the token.
Response Endpoints::connect_agent(const http::Request& request, const auth::ServerUrl& server_url) const {
  const auto body = body_of(request);
  if (!body) return error_answer(body.error());
  std::string id;
  if (const std::string uri = body->text("request_uri"); !uri.empty()) {
    if (!uri.starts_with(kPending)) return error_answer({400, "invalid_request", "unknown request_uri", -1});
    id = uri.substr(kPending.size());
  } else {
    auth::AuthorizeParameters parameters = authorize_parameters(*body, request, server_url);
    if (parameters.client_id.empty()) {
      // Register the client under the name that it sent.
      json::Writer client;
      client.begin_object().optional_member("client_name", body->text("client_name")).end_object();
      const auto made = authorization_.clients().add(client.text(), parameters.address);
      if (!made) return error_answer(made.error());
      parameters.client_id = made->client.client_id;
    }
    const auto begun = authorization_.requests().begin_review(parameters, server_url);
    if (!begun) return error_answer(begun.error());
    id = begun->id;
  }
  // The request id is part of the URL that the owner opens, so knowing it proves nothing. Require the client id as well.
  const std::string client_id = body->text("client_id");
  if (body->has("request_uri") && client_id.empty()) {
    return error_answer({400, "invalid_request", "client_id is missing: send that of the client that made the request", -1});
  }
  const auto poller = authorization_.requests().add_poller(id, client_id);
  if (!poller) return error_answer(poller.error());
  const std::string poll = format("{}/agent-connect/{}/token", server_url.base, id);
  json::Writer out;
  out.begin_object().member("id", id).member("object", "agent_connect_attempt").member("status", "pending");
  out.member("approval_url", format("{}/consent?request={}", server_url.base, id)).member("user_code", poller->user_code);
  out.member("poll_url", poll).member("token_url", poll).member("polling_code", poller->device_code);
  out.member("expires_in", poller->expires_in).member("interval", kPollSeconds);
  out.member("interval_ms", kPollSeconds * 1000).end_object();
  return no_store(Response::json(201, out.take()));
}

Response Endpoints::poll_agent(const http::Request& request, std::string_view id) const {
  const auto body = body_of(request);
  if (!body) return error_answer(body.error());
  auth::TokenRequest token_request;
  token_request.device_code = body->text("polling_code");
  token_request.request_id = id;
  const auto answer = authorization_.tokens().poll_device(token_request);
  if (answer) return token_answer(*answer);
  OAuthError error = answer.error();
  if (error.error == "authorization_pending") {
    json::Writer out;
    out.begin_object().member("status", "pending").member("error", error.error).member("error_description", error.description);
    out.member("interval", kPollSeconds).end_object();
    return no_store(Response::json(202, out.take()));
  }
  if (error.error == "access_denied") error.status = 403;
  if (error.error == "invalid_grant") error.status = 401;
  return error_answer(error);
}

Response Endpoints::exchange(const http::Request& request, const auth::ServerUrl& /*server_url*/) const {
  const auto body = body_of(request);
  if (!body) return error_answer(body.error());
  const auto answer = authorization_.tokens().redeem_exchange(body->text("code"));
  return answer ? pages::approval_answer(*answer) : error_answer(answer.error());
}

}  // namespace ladder::oauth

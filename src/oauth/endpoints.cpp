#include "oauth/endpoints.h"

#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "pages/form.h"
#include "pages/site.h"

namespace ladder::oauth {
namespace {

using auth::OAuthError;
using http::Response;

constexpr std::string_view kDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

// Parses the form. Confidential clients are not supported, so credentials in a header are an error of the caller.
auth::OAuthResult<pages::Form> form_of(const http::Request& request) {
  if (!http::has_media_type(request, "application/x-www-form-urlencoded")) {
    return auth::refuse("invalid_request", "send a form: application/x-www-form-urlencoded");
  }
  auto form = pages::Form::parse(request.body);
  if (!form) return auth::refuse("invalid_request", "the form cannot be read");
  // Only resource may be repeated (RFC 8707).
  if (const std::string twice = form->repeated(); !twice.empty() && twice != "resource") {
    return auth::refuse("invalid_request", format("{} was sent twice", twice));
  }
  return *std::move(form);
}

auth::AuthorizeParameters authorize_parameters(const pages::Form& form, const http::Request& request,
                                               const auth::ServerUrl& server_url) {
  auth::AuthorizeParameters parameters = pages::authorize_parameters(form);
  parameters.address = pages::caller_address(request, server_url.base);
  return parameters;
}

}  // namespace

Response no_store(Response response) {
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Pragma", "no-cache");
  return response;
}

Response error_answer(const OAuthError& error) {
  json::Writer out;
  out.begin_object().member("error", error.error).member("error_description", error.description).end_object();
  Response response = no_store(Response::json(error.status, out.take()));
  if (error.retry_after >= 0) response.headers.set("Retry-After", std::to_string(error.retry_after));
  return response;
}

Response token_answer(const auth::TokenResponse& answer) {
  json::Writer out;
  out.begin_object().member("access_token", answer.access_token).member("token_type", "Bearer");
  if (answer.expires_in) out.member("expires_in", *answer.expires_in);
  out.member("scope", answer.scope).optional_member("refresh_token", answer.refresh_token);
  if (answer.grant_ids.size() == 1) out.member("grant_id", answer.grant_ids.front());
  out.member("grant_ids", answer.grant_ids).key("authorization_details").raw(answer.details).end_object();
  return no_store(Response::json(200, out.take()));
}

void allow_any_origin(Response& response) {
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, Request-Id");
}

Response preflight() {
  Response response;
  response.status = 204;
  allow_any_origin(response);
  response.headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST");
  response.headers.set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version");
  response.headers.set("Access-Control-Max-Age", "600");
  return response;
}

Response Endpoints::metadata(const http::Request& /*request*/, const auth::ServerUrl& server_url) const {
  const std::string& base = server_url.base;
  json::Writer out;
  out.begin_object().member("issuer", base).member("authorization_endpoint", base + "/oauth/authorize");
  out.member("token_endpoint", base + "/oauth/token").member("registration_endpoint", base + "/oauth/register");
  out.member("revocation_endpoint", base + "/oauth/revoke").member("introspection_endpoint", base + "/introspect");
  out.member("pushed_authorization_request_endpoint", base + "/oauth/par");
  out.member("device_authorization_endpoint", base + "/oauth/device_authorization");
  out.member("agent_connect_endpoint", base + "/agent-connect");
  out.member("response_types_supported", {"code"});
  out.member("response_modes_supported", {"query"});
  out.member("grant_types_supported", {"authorization_code", "refresh_token", kDeviceGrant});
  out.member("token_endpoint_auth_methods_supported", {"none"});
  out.member("revocation_endpoint_auth_methods_supported", {"none"});
  out.member("code_challenge_methods_supported", {"S256"});
  out.member("scopes_supported", {auth::kReadScope, auth::kOfflineScope});
  out.member("client_id_metadata_document_supported", true).member("authorization_response_iss_parameter_supported", true);
  out.member("authorization_details_types_supported", {auth::kDetailsType});
  out.member("pdpp_authorization_details_types_supported", {auth::kDetailsType});
  out.member("pdpp_provider_connect_capabilities", {"cli_device_connect", "third_party_client_connect"});
  out.member("pdpp_registration_modes_supported", {"dynamic", "pre_registered_public", "client_id_metadata_document"});
  out.end_object();
  Response response = Response::json(200, out.take());
  response.headers.set("Cache-Control", "public, max-age=300");
  return response;
}

Response Endpoints::register_client(const http::Request& request, const auth::ServerUrl& server_url) const {
  const auto made = authorization_.clients().add(request.body, pages::caller_address(request, server_url.base));
  if (!made) return error_answer(made.error());
  const auth::Client& client = made->client;
  json::Writer out;
  out.begin_object().member("client_id", client.client_id).member("client_id_issued_at", client.created_at / kSecond);
  out.optional_member("client_name", client.name).optional_member("client_uri", client.uri);
  out.member("redirect_uris", client.redirect_uris);
  // Every client gets "none", whatever method it requested. Clients read the method from the response.
  out.member("token_endpoint_auth_method", "none");
  out.member("grant_types", {"authorization_code", "refresh_token"});
  out.member("response_types", {"code"});
  out.optional_member("application_type", client.application_type);
  out.member("scope", format("{} {}", auth::kReadScope, auth::kOfflineScope)).end_object();
  return no_store(Response::json(201, out.take()));
}

Response Endpoints::token(const http::Request& request, const auth::ServerUrl& server_url) const {
  const auto form = form_of(request);
  if (!form) return error_answer(form.error());
  auth::TokenRequest token_request;
  token_request.client_id = form->one("client_id");
  token_request.code = form->one("code");
  token_request.redirect_uri = form->one("redirect_uri");
  token_request.verifier = form->one("code_verifier");
  token_request.resource = form->one("resource");
  token_request.refresh_token = form->one("refresh_token");
  token_request.device_code = form->one("device_code");
  token_request.scope = form->one("scope");
  const std::string grant_type = form->one("grant_type");
  auth::OAuthResult<auth::TokenResponse> answer =
      grant_type == "authorization_code" ? authorization_.tokens().redeem_code(token_request, server_url)
      : grant_type == "refresh_token"    ? authorization_.tokens().refresh(token_request)
      : grant_type == kDeviceGrant       ? authorization_.tokens().poll_device(token_request)
      : grant_type.empty()               ? auth::refuse("invalid_request", "grant_type is missing")
                                         : auth::refuse("unsupported_grant_type", "unsupported grant_type");
  if (!answer) return error_answer(answer.error());
  return token_answer(*answer);
}

Response Endpoints::revoke(const http::Request& request, const auth::ServerUrl& /*server_url*/) const {
  const auto form = form_of(request);
  if (!form) return error_answer(form.error());
  const std::string token = form->one("token");
  if (token.empty()) return error_answer({400, "invalid_request", "token is missing", -1});
  const auto done = authorization_.tokens().revoke(token, form->one("client_id"));
  if (!done) return error_answer(done.error());
  return no_store(Response::json(200, "{}"));
}

Response Endpoints::push(const http::Request& request, const auth::ServerUrl& server_url) const {
  if (http::has_media_type(request, "application/json")) return push_json(request, server_url);
  const auto form = form_of(request);
  if (!form) return error_answer(form.error());
  if (form->has("request_uri")) return error_answer({400, "invalid_request", "request_uri is not accepted at this endpoint", -1});
  const auto begun = authorization_.requests().begin_pushed(authorize_parameters(*form, request, server_url), server_url);
  if (!begun) return error_answer(begun.error());
  json::Writer out;
  out.begin_object().member("request_uri", "urn:ladder:request:" + begun->id);
  out.member("authorization_url", format("{}/consent?request={}", server_url.base, begun->id));
  out.member("expires_in", auth::kRequestLife / kSecond).end_object();
  return no_store(Response::json(201, out.take()));
}

Response Endpoints::device(const http::Request& request, const auth::ServerUrl& server_url) const {
  const auto form = form_of(request);
  if (!form) return error_answer(form.error());
  const auto begun = authorization_.requests().begin_device(authorize_parameters(*form, request, server_url), server_url);
  if (!begun) return error_answer(begun.error());
  json::Writer out;
  out.begin_object().member("device_code", begun->device_code).member("user_code", begun->user_code);
  out.member("verification_uri", server_url.base + "/device");
  out.member("verification_uri_complete", format("{}/device?user_code={}", server_url.base, begun->user_code));
  out.member("expires_in", begun->expires_in).member("interval", std::int64_t{auth::kDevicePollSeconds}).end_object();
  return no_store(Response::json(200, out.take()));
}

}  // namespace ladder::oauth

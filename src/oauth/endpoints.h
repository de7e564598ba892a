// The OAuth endpoints for programs: metadata, registration, tokens, revocation, pushed requests and device authorization. Every
// response is JSON, and errors use the OAuth format. The endpoints read no cookies, so pages of any origin may call them.
#pragma once

#include "auth/authorization.h"
#include "http/message/message.h"

#include <string>
#include <string_view>

namespace ladder::oauth {

class Endpoints {
 public:
  explicit Endpoints(auth::AuthorizationServer& authorization) : authorization_(authorization) {}

  // A function per endpoint; rest/page_routes.cpp lists their paths.
  using Endpoint = http::Response (Endpoints::*)(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response metadata(const http::Request& request, const auth::ServerUrl& server_url) const;  // RFC 8414
  http::Response register_client(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response token(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response revoke(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response push(const http::Request& request, const auth::ServerUrl& server_url) const;  // RFC 9126
  http::Response device(const http::Request& request, const auth::ServerUrl& server_url) const;

  // PDPP extensions (agent.cpp).
  http::Response connect_agent(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response exchange(const http::Request& request, const auth::ServerUrl& server_url) const;
  http::Response poll_agent(const http::Request& request, std::string_view id) const;

 private:
  http::Response push_json(const http::Request& request, const auth::ServerUrl& server_url) const;

  auth::AuthorizationServer& authorization_;
};

http::Response error_answer(const auth::OAuthError& error);
http::Response token_answer(const auth::TokenResponse& answer);
http::Response no_store(http::Response response);

// CORS headers for endpoints that read no cookies, and the response to a preflight request.
void allow_any_origin(http::Response& response);
http::Response preflight();

}  // namespace ladder::oauth

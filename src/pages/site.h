// The pages that connect an owner and a client: sign-in, consent, devices, passkeys. Every action is a form and works without
// JavaScript. The rest of the owner's pages are in console/.
#pragma once

#include "auth/authorization.h"
#include "auth/body.h"
#include "http/message/message.h"
#include "pages/gate.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

enum class PageRoute {
  kSignIn,    // GET, POST /sign-in
  kPasskey,   // POST /sign-in/passkey
  kLink,      // GET, POST /sign-in/link
  kSignOut,   // POST /sign-out
  kConsent,   // GET, POST /consent
  kContinue,  // POST /consent/continue
  kUndo,      // POST /consent/undo
  kDevice,    // GET /device
  kPasskeys,  // GET, POST /passkeys
};

// JSON endpoints with the owner's session: POST /consent/review, /consent/approve, /consent/deny.
enum class ApiRoute { kReview, kApprove, kDeny };

class Site {
 public:
  explicit Site(auth::AuthorizationServer& authorization) : authorization_(authorization), gate_(authorization) {}

  http::Response serve(PageRoute route, const http::Request& request, const auth::ServerUrl& server_url);
  http::Response serve_api(ApiRoute route, const http::Request& request, const auth::ServerUrl& server_url);

  // The authorization endpoint: redirects to the consent page, or shows an error.
  http::Response authorize(const http::Request& request, const auth::ServerUrl& server_url);
  http::Response show_fault(const auth::AuthorizeError& fault, const auth::ServerUrl& server_url) const;

 private:
  // Everything that a consent page shows.
  struct ConsentModel;

  Result<http::Response> answer(PageRoute route, Visit& visit);
  Result<http::Response> decide(ApiRoute route, Visit& visit, const auth::Body& body);

  Result<http::Response> sign_in(Visit& visit);
  http::Response sign_in_page(const Visit& visit, const Error* fault) const;
  Result<http::Response> link(Visit& visit);
  http::Response link_page(const Visit& visit, std::string_view name, const Error* fault) const;
  Result<http::Response> sign_out(Visit& visit);
  Result<http::Response> consent(Visit& visit);
  Result<http::Response> continue_to_client(Visit& visit);
  Result<http::Response> undo(Visit& visit);
  Result<http::Response> device(Visit& visit);
  Result<http::Response> passkeys(Visit& visit);
  Result<http::Response> passkey_sign_in(Visit& visit);

  Result<ConsentModel> load_consent(Visit& visit, std::string_view id);
  http::Response consent_page(const Visit& visit, const ConsentModel& model, const Error* fault, bool changed) const;
  http::Response connected_page(const Visit& visit, const ConsentModel& model, const std::vector<server::GrantSummary>& grants,
                                const std::map<std::string, server::ReadBudget>& budgets) const;
  http::Response signed_in(const auth::SignInResult& in, const Visit& visit, const std::string& next) const;
  http::Response exchange_page(const Visit& visit, const std::string& code) const;
  static http::Response denied(const auth::AuthorizationRequest& request, const auth::ServerUrl& server_url);

  auth::AuthorizationServer& authorization_;
  Gate gate_;
};

// Returns the request id, given directly or as a PDPP request_uri.
std::string request_named(std::string_view request, std::string_view uri);

// The response of the PDPP consent endpoints to an approval: the grant, or a package of grants for several sources, and the
// token if one is issued.
http::Response approval_answer(const auth::TokenResponse& answer);

}  // namespace ladder::pages

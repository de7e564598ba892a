// The pages that lead an owner and a client together: sign-in, consent, devices, passkeys. Every action is a form and works
// without JavaScript. The console (console/) is the rest of the owner's pages.
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

// POST, in JSON, by the owner's session: /consent/review, /consent/approve, /consent/deny.
enum class ApiRoute { kReview, kApprove, kDeny };

class Site {
 public:
  explicit Site(auth::AuthorizationServer& authorization) : authorization_(authorization), gate_(authorization) {}

  http::Response serve(PageRoute route, const http::Request& request, const auth::Place& place);
  http::Response serve_api(ApiRoute route, const http::Request& request, const auth::Place& place);

  // The start of an authorization that came through the browser: on to the consent page, or an error.
  http::Response authorize(const http::Request& request, const auth::Place& place);
  http::Response show_fault(const auth::AskFault& fault, const auth::Place& place) const;

 private:
  // The parts of a consent page.
  struct Asked;

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

  Result<Asked> asked(Visit& visit, std::string_view id);
  http::Response consent_page(const Visit& visit, const Asked& asked, const Error* fault, bool changed) const;
  http::Response connected_page(const Visit& visit, const Asked& asked, const std::vector<server::GrantSummary>& grants,
                                const std::map<std::string, server::ReadBudget>& budgets) const;
  http::Response signed_in(const auth::SignedIn& in, const Visit& visit, const std::string& next) const;
  http::Response exchange_page(const Visit& visit, const std::string& code) const;
  static http::Response denied(const auth::AuthorizationRequest& request, const auth::Place& place);

  auth::AuthorizationServer& authorization_;
  Gate gate_;
};

// The id of a request, from itself or from the name that PDPP gives it.
std::string request_named(std::string_view request, std::string_view uri);

// The answer of PDPP's own consent endpoints to an approval: the grant, or the grants of several sources as a package,
// and the token when there is one to give.
http::Response approval_answer(const auth::TokenAnswer& answer);

}  // namespace ladder::pages

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

// JSON endpoints with the owner's session: POST /consent/review, /consent/approve, /consent/deny.
enum class ConsentAction { kReview, kApprove, kDeny };

class Site {
 public:
  explicit Site(auth::AuthorizationServer& authorization) : authorization_(authorization), gate_(authorization) {}

  using Page = Result<http::Response> (Site::*)(Visit& visit);
  // Checks the session, then shows the page.
  http::Response serve(Page page, Gate::Audience audience, const http::Request& request, const auth::ServerUrl& server_url);
  http::Response serve_action(ConsentAction action, const http::Request& request, const auth::ServerUrl& server_url);

  // The authorization endpoint: redirects to the consent page, or shows an error.
  http::Response authorize(const http::Request& request, const auth::ServerUrl& server_url);
  http::Response show_fault(const auth::AuthorizeError& fault, const auth::ServerUrl& server_url) const;

  // One function per page; rest/page_routes.cpp lists their paths.
  Result<http::Response> sign_in(Visit& visit);
  Result<http::Response> link(Visit& visit);
  Result<http::Response> phone_sign_in(Visit& visit);
  Result<http::Response> sign_out(Visit& visit);
  Result<http::Response> consent(Visit& visit);
  Result<http::Response> continue_to_client(Visit& visit);
  Result<http::Response> undo(Visit& visit);
  Result<http::Response> device(Visit& visit);
  Result<http::Response> passkeys(Visit& visit);
  Result<http::Response> passkey_sign_in(Visit& visit);

 private:
  // Everything that a consent page shows.
  struct ConsentModel;

  Result<http::Response> decide(ConsentAction action, Visit& visit, const auth::Body& body);

  http::Response sign_in_page(const Visit& visit, const Error* fault) const;
  http::Response link_page(const Visit& visit, std::string_view name, const Error* fault) const;

  Result<ConsentModel> load_consent(Visit& visit, std::string_view id);
  http::Response consent_page(const Visit& visit, const ConsentModel& model, const Error* why, const Error* fault,
                              bool changed) const;
  http::Response connected_page(const Visit& visit, const ConsentModel& model, const std::vector<server::GrantSummary>& grants,
                                const std::map<std::string, server::ReadBudget>& budgets) const;
  http::Response signed_in(const auth::SignInResult& in, const Visit& visit, const std::string& next) const;
  http::Response exchange_page(const Visit& visit, const std::string& code) const;
  static http::Response denied(const auth::AuthorizationRequest& request, const auth::ServerUrl& server_url);

  auth::AuthorizationServer& authorization_;
  Gate gate_;
};

// Reads the parameters of an authorization request from a query or a form. The caller sets the address.
auth::AuthorizeParameters authorize_parameters(const Form& form);

// Returns the request id, given directly or as a PDPP request_uri.
std::string request_named(std::string_view request, std::string_view uri);

// The response of the PDPP consent endpoints to an approval: the grant, or a package of grants for several sources, and the
// token if one is issued.
http::Response approval_answer(const auth::TokenResponse& answer);

}  // namespace ladder::pages

// The pages: sign-in, consent, what is connected, the end of access. Every action is a form and works without JavaScript. A page
// is opened by the session's cookie alone, never by a token; every POST carries the session's form token and comes from this
// origin.
#pragma once

#include "auth/authorization.h"
#include "auth/body.h"
#include "http/message/message.h"
#include "pages/form.h"
#include "pages/page.h"

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
  kClients,   // GET, POST /clients
  kPanic,     // GET, POST /panic
  kDevice,    // GET /device
  kPasskeys,  // GET, POST /passkeys
};

// POST, in JSON, by the owner's session: /consent/review, /consent/approve, /consent/deny.
enum class ApiRoute { kReview, kApprove, kDeny };

class Site {
 public:
  explicit Site(auth::AuthorizationServer& authorization) : authorization_(authorization) {}

  http::Response serve(PageRoute route, const http::Request& request, const auth::Place& place);
  http::Response serve_api(ApiRoute route, const http::Request& request, const auth::Place& place);

  // The start of an authorization that came through the browser: on to the consent page, or an error.
  http::Response authorize(const http::Request& request, const auth::Place& place);
  http::Response show_fault(const auth::AskFault& fault, const auth::Place& place) const;

 private:
  struct Visit {
    const http::Request& request;
    const auth::Place& place;
    Form form;
    std::optional<auth::Session> session;
    std::optional<server::Access> owner;
    bool is_post = false;
    Frame frame;
  };
  // What a consent page is made of.
  struct Asked;

  Status open_session(Visit& visit);  // who comes, by the cookie
  Result<http::Response> answer(PageRoute route, Visit& visit);
  Result<http::Response> decide(ApiRoute route, Visit& visit, const auth::Body& body);
  http::Response failure(const Error& error, const Visit& visit) const;
  // Whoever signed in a while ago shows once more that it is he, before what cannot be undone; then he comes back to `next`.
  bool has_to_sign_in_again(const Visit& visit) const;
  static http::Response sign_in_again(std::string_view next);

  Result<http::Response> sign_in(Visit& visit);
  http::Response sign_in_page(const Visit& visit, const Error* fault) const;
  Result<http::Response> link(Visit& visit);
  http::Response link_page(const Visit& visit, std::string_view name, const Error* fault) const;
  Result<http::Response> sign_out(Visit& visit);
  Result<http::Response> consent(Visit& visit);
  Result<http::Response> continue_to_client(Visit& visit);
  Result<http::Response> undo(Visit& visit);
  Result<http::Response> clients(Visit& visit);
  Result<http::Response> panic(Visit& visit);
  Result<http::Response> device(Visit& visit);
  Result<http::Response> passkeys(Visit& visit);
  Result<http::Response> passkey_sign_in(Visit& visit);

  Result<Asked> asked(Visit& visit, std::string_view id);
  http::Response consent_page(const Visit& visit, const Asked& asked, const Error* fault, bool changed) const;
  http::Response connected_page(const Visit& visit, const Asked& asked, const std::vector<server::GrantSummary>& grants) const;
  http::Response signed_in(const auth::SignedIn& in, const Visit& visit, const std::string& next) const;
  http::Response exchange_page(const Visit& visit, const std::string& code) const;
  static http::Response denied(const auth::AuthorizationRequest& request, const auth::Place& place);

  auth::AuthorizationServer& authorization_;
};

// A path of this server to go on to; "/clients" for anything else, so that no link leads away.
std::string safe_next(std::string_view next);

// Browsers name the page that a form was sent from; anything but our own is refused, and so is a form that names none.
bool is_from_here(const http::Request& request, const auth::Place& place);

// The id of a request, from itself or from the name that PDPP gives it.
std::string request_named(std::string_view request, std::string_view uri);

auth::Visitor visitor_of(const http::Request& request, const auth::Place& place);

}  // namespace ladder::pages

// Checks every page request: which session it has, and whether a POST is genuine. Pages accept only the session cookie, never a
// token. Every POST must carry the form token of the session and come from this origin. Only the gate creates a Visit.
#pragma once

#include "auth/authorization.h"
#include "http/message/message.h"
#include "pages/form.h"
#include "pages/page.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

struct Visit {
  const http::Request& request;
  const auth::ServerUrl& server_url;
  Form form = {};  // from the body of a POST, otherwise from the query
  std::optional<auth::Session> session = {};
  std::optional<server::Access> owner = {};  // set whenever `session` is set
  bool is_post = false;
  Frame frame = {};

  const std::string& csrf() const { return session->form_token; }
};

class Gate {
 public:
  explicit Gate(auth::AuthorizationServer& authorization) : authorization_(authorization) {}

  // kSharing: as kOwner, but a POST needs no form token. It must be a request that the browser makes by itself when the owner
  // shares files to the installed page, which no page can make.
  enum class Audience { kOwner, kAnyone, kSharing };
  // Returns the visit, or the response to send instead: a redirect to the sign-in page, or an error for an invalid form. With
  // Audience::kOwner, session and owner are always set. A POST of application/octet-stream has its form in the query and its
  // form token in X-CSRF-Token, which only a page of this origin can send. A multipart/form-data POST has both in its parts.
  std::expected<Visit, http::Response> enter(const http::Request& request, const auth::ServerUrl& server_url,
                                             Audience audience) const;
  Status open_session(Visit& visit) const;  // reads the session from the cookie

  // Renders an error as a page.
  static http::Response failure(const Error& error, const Visit& visit);

  // Irreversible actions need a recent sign-in. sign_in_again() redirects to the sign-in page, which returns to `next`.
  bool has_to_sign_in_again(const Visit& visit) const;
  static http::Response sign_in_again(std::string_view next);

 private:
  auth::AuthorizationServer& authorization_;
};

// Returns `next` if it is a known path of this server, otherwise "/". Prevents open redirects.
std::string safe_next(std::string_view next);

// Returns whether the browser itself made the request, after an action of its user outside of all pages. Pages cannot send
// these headers.
bool is_sent_by_browser(const http::Request& request);

// Checks the Origin header that browsers send with forms. A missing or foreign origin is rejected.
bool is_from_here(const http::Request& request, const auth::ServerUrl& server_url);

auth::Visitor visitor_of(const http::Request& request, const auth::ServerUrl& server_url);

}  // namespace ladder::pages

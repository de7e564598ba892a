// The way into a page: whose session it is, and whether a POST may be believed. A page is opened by the session's cookie alone,
// never by a token; every POST carries the session's form token and comes from this origin. Pages get a Visit from here and from
// nowhere else.
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
  const auth::Place& place;
  Form form = {};  // of the body of a POST, else of the query
  std::optional<auth::Session> session = {};
  std::optional<server::Access> owner = {};  // there whenever the session is
  bool is_post = false;
  Frame frame = {};

  const std::string& csrf() const { return session->form_token; }
};

class Gate {
 public:
  explicit Gate(auth::AuthorizationServer& authorization) : authorization_(authorization) {}

  enum class For { kOwner, kAnyone };
  // The visit, or the answer that is given instead: the way to the sign-in, a form that was not sent from here. For the owner,
  // session and owner are there. A POST of bytes (application/octet-stream) has its form in the query and its form token in
  // X-CSRF-Token, which only a page of this origin can send; one with files (multipart/form-data) has both in its parts.
  std::expected<Visit, http::Response> enter(const http::Request& request, const auth::Place& place, For whom) const;
  Status open_session(Visit& visit) const;  // who comes, by the cookie

  // A fault as a page.
  static http::Response failure(const Error& error, const Visit& visit);

  // An owner who signed in a while ago confirms it before a deed that cannot be undone; then he comes back to `next`.
  bool has_to_sign_in_again(const Visit& visit) const;
  static http::Response sign_in_again(std::string_view next);

 private:
  auth::AuthorizationServer& authorization_;
};

// A path of this server to go on to; "/" for anything else, so that no link leads away.
std::string safe_next(std::string_view next);

// Browsers name the page that a form was sent from; anything but our own is refused, and so is a form that names none.
bool is_from_here(const http::Request& request, const auth::Place& place);

auth::Visitor visitor_of(const http::Request& request, const auth::Place& place);

}  // namespace ladder::pages

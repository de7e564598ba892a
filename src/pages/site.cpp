// From a request to a page: whose session it is, whether a POST may be believed, and which page it is about.
#include "pages/site.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "http/message/message.h"

namespace ladder::pages {
bool is_from_here(const http::Request& request, const auth::Place& place) {
  const auto origin = request.headers.get("Origin");
  if (request.headers.count("Origin") != 1 || !origin || !http::equal_without_case(*origin, place.base)) return false;
  const auto site = request.headers.get("Sec-Fetch-Site");
  return !site || *site == "same-origin";
}

std::string safe_next(std::string_view next) {
  for (const std::string_view path :
       {"/consent?request=", "/consent?request_uri=", "/clients", "/device", "/passkeys", "/panic"}) {
    if (next.starts_with(path) && next.find_first_of("\r\n\\\"<> ") == std::string_view::npos && !next.starts_with("//")) {
      return std::string(next);
    }
  }
  return "/clients";
}

auth::Visitor visitor_of(const http::Request& request, const auth::Place& place) {
  return {caller_address(request, place.base), std::string(request.headers.get("User-Agent").value_or(""))};
}

http::Response Site::serve(PageRoute route, const http::Request& request, const auth::Place& place) {
  Visit visit{request, place, {}, {}, {}, request.method == "POST", {}};
  visit.frame.title = "Ladder";
  visit.frame.over_tls = place.base.starts_with("https:");
  auto form = Form::parse(visit.is_post ? std::string_view(request.body) : request.query());
  if (!form)
    return message_page(400, visit.frame, "This form cannot be read", "Go back, load the page again and send it once more.");
  visit.form = *std::move(form);
  if (auto opened = open_session(visit); !opened) return failure(opened.error(), visit);
  if (visit.is_post) {
    const std::string expected = visit.session ? visit.session->form_token : authorization_.owners().visitor_form_token();
    const std::string visitors = authorization_.owners().visitor_form_token();
    const std::string sent = visit.form.one("csrf");
    const bool before_sign_in = route == PageRoute::kSignIn || route == PageRoute::kLink || route == PageRoute::kPasskey;
    const bool known =
        crypto::equal_in_constant_time(sent, expected) || (before_sign_in && crypto::equal_in_constant_time(sent, visitors));
    if (!is_from_here(request, place) || !known) {
      return message_page(403, visit.frame, "This form was not sent from here",
                          "Nothing was done. Load the page again and send it once more.", "origin or form token");
    }
  }
  auto response = answer(route, visit);
  return response ? *std::move(response) : failure(response.error(), visit);
}

Status Site::open_session(Visit& visit) {
  const std::string cookie = cookie_of(visit.request);
  if (cookie.empty()) return {};
  LADDER_TRY(visit.session, authorization_.owners().find_session(cookie));
  if (!visit.session) return {};
  LADDER_TRY(visit.owner, authorization_.server().owner_at_machine(visit.session->owner_name));
  visit.frame.owner = visit.session->owner_name;
  return {};
}

Result<http::Response> Site::answer(PageRoute route, Visit& visit) {
  switch (route) {
    case PageRoute::kSignIn:
      return sign_in(visit);
    case PageRoute::kLink:
      return link(visit);
    case PageRoute::kPasskey:
      return passkey_sign_in(visit);
    default:
      break;
  }
  // Everything else is the owner's. Who is not signed in comes back here afterwards.
  if (!visit.owner) {
    const std::string next = visit.is_post ? "/clients" : std::string(visit.request.target);
    return redirect_to("/sign-in?next=" + html::Url::encoded(safe_next(next)));
  }
  switch (route) {
    case PageRoute::kSignOut:
      return sign_out(visit);
    case PageRoute::kConsent:
      return consent(visit);
    case PageRoute::kContinue:
      return continue_to_client(visit);
    case PageRoute::kUndo:
      return undo(visit);
    case PageRoute::kClients:
      return clients(visit);
    case PageRoute::kPanic:
      return panic(visit);
    case PageRoute::kDevice:
      return device(visit);
    case PageRoute::kPasskeys:
      return passkeys(visit);
    default:
      return fail(Code::kInternal, "a page without a handler");
  }
}

bool Site::has_to_sign_in_again(const Visit& visit) const {
  return authorization_.now() - visit.session->confirmed_at > auth::kConfirmedFor;
}

http::Response Site::sign_in_again(std::string_view next) {
  return redirect_to("/sign-in?again=1&next=" + html::Url::encoded(safe_next(next)));
}

http::Response Site::failure(const Error& error, const Visit& visit) const {
  Frame frame = visit.frame;
  frame.title = "Not possible";
  http::Response response =
      error.code == Code::kStoreUnavailable
          ? message_page(503, frame, "The store does not answer", "Nothing was changed. Try again in a moment.")
          : message_page(error.http_status(), frame, "That is not possible", error.message, error.wire());
  if (error.more && error.more->retry_after_seconds >= 0) {
    response.headers.set("Retry-After", std::to_string(error.more->retry_after_seconds));
  }
  return response;
}

http::Response Site::authorize(const http::Request& request, const auth::Place& place) {
  Frame frame;
  frame.title = "This request is not valid";
  const auto form = Form::parse(request.method == "POST" ? std::string_view(request.body) : request.query());
  if (!form)
    return message_page(400, frame, "This request is not valid", "Its parameters cannot be read. Start again from the client.");
  auth::AskParameters asked;
  asked.client_id = form->one("client_id");
  asked.redirect_uri = form->one("redirect_uri");
  asked.response_type = form->one("response_type");
  asked.state = form->one("state");
  asked.scope = form->one("scope");
  asked.resource = form->one("resource");
  asked.challenge = form->one("code_challenge");
  asked.challenge_method = form->one("code_challenge_method");
  asked.prompt = form->one("prompt");
  asked.details = form->one("authorization_details");
  asked.address = caller_address(request, place.base);
  // A resource may be named several times (RFC 8707); each has to be ours.
  asked.repeated = form->repeated();
  if (asked.repeated == "resource") {
    asked.repeated.clear();
    for (const std::string& one : form->all("resource")) {
      if (!auth::is_own_resource(place, one)) asked.resource = one;
    }
  }
  constexpr std::string_view kPushed = "urn:ladder:request:";
  std::string id;
  if (const std::string uri = form->one("request_uri"); !uri.empty()) {
    if (!uri.starts_with(kPushed)) return show_fault({"invalid_request", "request_uri is unknown", false, "", "", 400}, place);
    id = uri.substr(kPushed.size());
    const auto client = authorization_.client_of(id);
    if (!client || *client != asked.client_id) {
      return show_fault({"invalid_request", "request_uri is over, or of another client", false, "", "", 400}, place);
    }
  } else {
    if (asked.prompt == "none") {
      auto begun = authorization_.begin(asked, place);
      if (!begun) return show_fault(begun.error(), place);
      const std::string cookie = cookie_of(request);
      const auto session =
          cookie.empty() ? std::optional<auth::Session>() : authorization_.owners().find_session(cookie).value_or(std::nullopt);
      return show_fault({session ? "interaction_required" : "login_required", "the owner has to be asked", true,
                         begun->redirect_uri, begun->state, 303},
                        place);
    }
    auto begun = authorization_.begin(asked, place);
    if (!begun) return show_fault(begun.error(), place);
    id = begun->id;
  }
  return redirect_to("/consent?request=" + html::Url::encoded(id));
}

http::Response Site::show_fault(const auth::AskFault& fault, const auth::Place& place) const {
  if (fault.to_client) {
    std::vector<std::pair<std::string, std::string>> parameters = {{"error", fault.error},
                                                                   {"error_description", fault.description}};
    if (!fault.state.empty()) parameters.emplace_back("state", fault.state);
    parameters.emplace_back("iss", place.base);
    return redirect_to(auth::with_parameters(fault.redirect_uri, parameters));
  }
  Frame frame;
  frame.title = "This request is not valid";
  return message_page(fault.status, frame, "This request is not valid",
                      "Nothing was sent. Start again from the client; if it happens again, remove the connection there and add "
                      "it anew.",
                      fault.error + ": " + fault.description);
}

http::Response Site::signed_in(const auth::SignedIn& in, const Visit& visit, const std::string& next) const {
  // The session that signs in again is replaced; one that cannot be ended now ends by its time.
  if (visit.session) (void)authorization_.owners().sign_out(cookie_of(visit.request));
  http::Response response = redirect_to(next);
  response.headers.add("Set-Cookie", format("{}={}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={}", kCookieName, in.cookie,
                                            auth::kSessionLife / kSecond));
  return response;
}

}  // namespace ladder::pages

// Routes requests to pages.
#include "pages/site.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "http/message/message.h"

namespace ladder::pages {

auth::AuthorizeParameters authorize_parameters(const Form& form) {
  auth::AuthorizeParameters parameters;
  parameters.client_id = form.one("client_id");
  parameters.redirect_uri = form.one("redirect_uri");
  parameters.response_type = form.one("response_type");
  parameters.state = form.one("state");
  parameters.scope = form.one("scope");
  parameters.resource = form.one("resource");
  parameters.challenge = form.one("code_challenge");
  parameters.challenge_method = form.one("code_challenge_method");
  parameters.prompt = form.one("prompt");
  parameters.details = form.one("authorization_details");
  return parameters;
}

http::Response Site::serve(Page page, Gate::Audience audience, const http::Request& request, const auth::ServerUrl& server_url) {
  auto visit = gate_.enter(request, server_url, audience);
  if (!visit) return std::move(visit.error());
  auto response = (this->*page)(*visit);
  return response ? *std::move(response) : Gate::failure(response.error(), *visit);
}

http::Response Site::authorize(const http::Request& request, const auth::ServerUrl& server_url) {
  Frame frame;
  frame.title = "This request is invalid";
  const auto form = Form::parse(request.method == "POST" ? std::string_view(request.body) : request.query());
  if (!form)
    return message_page(400, frame, "This request is invalid", "Its parameters could not be read. Start again from the app.");
  auth::AuthorizeParameters parameters = authorize_parameters(*form);
  const std::string cookie = cookie_of(request);
  const auto session =
      cookie.empty() ? std::optional<auth::Session>() : authorization_.owners().find_session(cookie).value_or(std::nullopt);
  // A signed-in owner has a separate rate limit, so strangers at the same address cannot lock the owner out.
  parameters.address = session ? format("owner:{}", session->owner) : caller_address(request, server_url.base);
  // resource may be repeated (RFC 8707). Every value must be ours.
  parameters.repeated = form->repeated();
  if (parameters.repeated == "resource") {
    parameters.repeated.clear();
    for (const std::string& one : form->all("resource")) {
      if (!auth::is_own_resource(server_url, one)) parameters.resource = one;
    }
  }
  constexpr std::string_view kPushed = "urn:ladder:request:";
  std::string id;
  if (const std::string uri = form->one("request_uri"); !uri.empty()) {
    if (!uri.starts_with(kPushed))
      return show_fault({"invalid_request", "request_uri is unknown", false, "", "", 400}, server_url);
    id = uri.substr(kPushed.size());
    const auto client = authorization_.requests().client_of(id);
    if (!client || *client != parameters.client_id) {
      return show_fault({"invalid_request", "request_uri has expired or belongs to another client", false, "", "", 400},
                        server_url);
    }
  } else {
    if (parameters.prompt == "none") {
      auto begun = authorization_.requests().begin(parameters, server_url);
      if (!begun) return show_fault(begun.error(), server_url);
      return show_fault({session ? "interaction_required" : "login_required", "the owner must approve this request", true,
                         begun->redirect_uri, begun->state, 303},
                        server_url);
    }
    auto begun = authorization_.requests().begin(parameters, server_url);
    if (!begun) return show_fault(begun.error(), server_url);
    id = begun->id;
  }
  return redirect_to("/consent?request=" + html::Url::encoded(id));
}

http::Response Site::show_fault(const auth::AuthorizeError& fault, const auth::ServerUrl& server_url) const {
  if (fault.to_client) {
    std::vector<std::pair<std::string, std::string>> parameters = {{"error", fault.error},
                                                                   {"error_description", fault.description}};
    if (!fault.state.empty()) parameters.emplace_back("state", fault.state);
    parameters.emplace_back("iss", server_url.base);
    return redirect_to(auth::with_parameters(fault.redirect_uri, parameters));
  }
  Frame frame;
  frame.title = "This request is invalid";
  return message_page(
      fault.status, frame, "This request is invalid",
      "Nothing was shared. Start again from the app. If this keeps happening, remove the connection in the app and add it again.",
      fault.error + ": " + fault.description);
}

http::Response Site::signed_in(const auth::SignInResult& in, const Visit& visit, const std::string& next) const {
  // Replace the old session. If that fails, it expires on its own.
  if (visit.session) (void)authorization_.owners().sign_out(cookie_of(visit.request));
  http::Response response = redirect_to(next);
  response.headers.add("Set-Cookie", format("{}={}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={}", kCookieName, in.cookie,
                                            auth::kSessionLife / kSecond));
  return response;
}

}  // namespace ladder::pages

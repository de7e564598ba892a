// Passes requests to oauth/, pages/ and console/ with this server's address.
#include "pages/assets.h"
#include "rest/handlers.h"

namespace ladder::rest {
using http::Response;

Answer PageHandlers::at_address(const Call& call, const std::function<Response(const auth::ServerUrl& here)>& serve) const {
  const auto here = addresses_.server_url(call.request);
  if (here) return serve(*here);
  return http::refusal(404,
                       "this server does not authorize clients at this address; start it with --public-url, or use localhost",
                       call.request.id);
}

Answer PageHandlers::asset(const Call& call) const {
  auto found = pages::asset(call.match.at("name"), call.request.headers.get("Accept-Encoding").value_or(""));
  return found ? *std::move(found) : http::refusal(404, "file not found", call.request.id);
}

Answer PageHandlers::authorize(const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl& here) { return site_->authorize(call.request, here); });
}

Answer PageHandlers::poll_agent(const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl&) { return oauth_->poll_agent(call.request, call.match.at("id")); });
}

Answer PageHandlers::console(console::Console::Page page, pages::Section section, const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl& here) { return console_->serve(page, section, call.request, here); });
}

Answer PageHandlers::site(pages::Site::Page page, pages::Gate::Audience audience, const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl& here) { return site_->serve(page, audience, call.request, here); });
}

Answer PageHandlers::consent(pages::ConsentAction action, const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl& here) { return site_->serve_action(action, call.request, here); });
}

Answer PageHandlers::endpoint(oauth::Endpoints::Endpoint endpoint, const Call& call) const {
  return at_address(call, [&](const auth::ServerUrl& here) { return (oauth_->*endpoint)(call.request, here); });
}

}  // namespace ladder::rest

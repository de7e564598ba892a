// Passes requests to oauth/, pages/ and console/ with this server's address.
#include "pages/assets.h"
#include "rest/handlers.h"

namespace ladder::rest {
namespace {

// Calls `serve` with the address that clients use for this server.
template <class Serve>
Answer at_address(const Addresses& addresses, const Call& call, Serve serve) {
  const auto here = addresses.server_url(call.request);
  if (here) return serve(*here);
  return http::refusal(404,
                       "this server does not authorize clients at this address; start it with --public-url, or use localhost",
                       call.request.id);
}

}  // namespace

Answer PageHandlers::asset(const Call& call) const {
  auto found = pages::asset(call.match.at("name"), call.request.headers.get("Accept-Encoding").value_or(""));
  return found ? *std::move(found) : http::refusal(404, "file not found", call.request.id);
}

Answer PageHandlers::manifest(const Call&) const { return pages::manifest(); }

Answer PageHandlers::authorize(const Call& call) const {
  return at_address(addresses, call, [&](const auth::ServerUrl& here) { return site->authorize(call.request, here); });
}

Answer PageHandlers::poll_agent(const Call& call) const {
  return at_address(addresses, call,
                    [&](const auth::ServerUrl&) { return endpoints->poll_agent(call.request, call.match.at("id")); });
}

Answer PageHandlers::console_page(console::Console::Page page, pages::Section section, const Call& call) const {
  return at_address(addresses, call,
                    [&](const auth::ServerUrl& here) { return console->serve(page, section, call.request, here); });
}

Answer PageHandlers::site_page(pages::Site::Page page, pages::Gate::Audience audience, const Call& call) const {
  return at_address(addresses, call,
                    [&](const auth::ServerUrl& here) { return site->serve(page, audience, call.request, here); });
}

Answer PageHandlers::consent_action(pages::ConsentAction action, const Call& call) const {
  return at_address(addresses, call, [&](const auth::ServerUrl& here) { return site->serve_action(action, call.request, here); });
}

Answer PageHandlers::oauth_endpoint(oauth::Endpoints::Endpoint endpoint, const Call& call) const {
  return at_address(addresses, call, [&](const auth::ServerUrl& here) { return (endpoints->*endpoint)(call.request, here); });
}

}  // namespace ladder::rest

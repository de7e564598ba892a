// The routes of the authorization server, forwarded to oauth/ and pages/ with this server's address. They exist only if the
// address that clients use is known: --public-url, or a loopback name.
#include "base/text/format.h"
#include "console/console.h"
#include "http/middleware/host_check.h"
#include "oauth/endpoints.h"
#include "pages/assets.h"
#include "pages/site.h"
#include "rest/service.h"

namespace ladder::rest {
using http::Response;

std::optional<auth::ServerUrl> Service::server_url(const http::Request& request) const {
  if (options_.authorization == nullptr) return std::nullopt;
  if (const auto live_options = live(); !live_options->public_url.empty()) return auth::ServerUrl{live_options->public_url};
  const auto host = http::parse_host(request.headers.get("Host").value_or(""));
  if (!host || !http::is_loopback(host->host)) return std::nullopt;
  return auth::ServerUrl{public_url(request)};
}

Result<Response> Service::at_address(const Call& call, const std::function<Response(const auth::ServerUrl& here)>& serve) {
  const auto here = server_url(call.request);
  if (here) return serve(*here);
  return http::refusal(404,
                       "this server does not authorize clients at this address; start it with --public-url, or use localhost",
                       call.request.id);
}

Result<Response> Service::asset(const Call& call) {
  auto found = pages::asset(call.match.at("name"), call.request.headers.get("Accept-Encoding").value_or(""));
  return found ? *std::move(found) : http::refusal(404, "file not found", call.request.id);
}

Result<Response> Service::authorize(const Call& call) {
  return at_address(call, [&](const auth::ServerUrl& here) { return site_->authorize(call.request, here); });
}

Result<Response> Service::poll_agent(const Call& call) {
  return at_address(call, [&](const auth::ServerUrl&) { return oauth_->poll_agent(call.request, call.match.at("id")); });
}

// A browser that opens the server's address gets the owner's pages.
bool Service::wants_page(const http::Request& request) const {
  return server_url(request).has_value() &&
         request.headers.get("Accept").value_or("").find("text/html") != std::string_view::npos;
}

}  // namespace ladder::rest

// The routes of the authorization server, forwarded to oauth/ and pages/ with this server's address. They exist only if the
// address that clients use is known: --public-url, or a loopback name.
#include "base/text/format.h"
#include "console/console.h"
#include "http/middleware/host_check.h"
#include "oauth/endpoints.h"
#include "pages/assets.h"
#include "pages/site.h"
#include "rest/routes.h"
#include "rest/service.h"

namespace ladder::rest {
namespace {

using http::Response;

std::optional<pages::PageRoute> page_of(Handler handler) {
  switch (handler) {
    case Handler::kSignInPage:
      return pages::PageRoute::kSignIn;
    case Handler::kPasskeySignIn:
      return pages::PageRoute::kPasskey;
    case Handler::kLinkPage:
      return pages::PageRoute::kLink;
    case Handler::kSignOut:
      return pages::PageRoute::kSignOut;
    case Handler::kConsentPage:
      return pages::PageRoute::kConsent;
    case Handler::kConsentContinue:
      return pages::PageRoute::kContinue;
    case Handler::kConsentUndo:
      return pages::PageRoute::kUndo;
    case Handler::kDevicePage:
      return pages::PageRoute::kDevice;
    case Handler::kPasskeysPage:
      return pages::PageRoute::kPasskeys;
    default:
      return std::nullopt;
  }
}

std::optional<console::ConsoleRoute> console_of(Handler handler) {
  switch (handler) {
    case Handler::kExplorePage:
      return console::ConsoleRoute::kExplore;
    case Handler::kRecordPage:
      return console::ConsoleRoute::kRecord;
    case Handler::kRecordFile:
      return console::ConsoleRoute::kFile;
    case Handler::kDocumentPage:
      return console::ConsoleRoute::kDocumentPage;
    case Handler::kSourcesPage:
      return console::ConsoleRoute::kSources;
    case Handler::kExportPage:
      return console::ConsoleRoute::kExport;
    case Handler::kErasePage:
      return console::ConsoleRoute::kErase;
    case Handler::kImportPage:
      return console::ConsoleRoute::kImport;
    case Handler::kImportUpload:
      return console::ConsoleRoute::kUpload;
    case Handler::kClientsPage:
      return console::ConsoleRoute::kClients;
    case Handler::kClientPage:
      return console::ConsoleRoute::kClient;
    case Handler::kNarrowPage:
      return console::ConsoleRoute::kNarrow;
    case Handler::kRequestsPage:
      return console::ConsoleRoute::kRequests;
    case Handler::kLedgerPage:
      return console::ConsoleRoute::kLedger;
    case Handler::kLedgerEntryPage:
      return console::ConsoleRoute::kLedgerEntry;
    case Handler::kLedgerRecordPage:
      return console::ConsoleRoute::kLedgerRecord;
    case Handler::kLedgerExport:
      return console::ConsoleRoute::kLedgerExport;
    case Handler::kSettingsPage:
      return console::ConsoleRoute::kSettings;
    case Handler::kPanicPage:
      return console::ConsoleRoute::kPanic;
    default:
      return std::nullopt;
  }
}

std::optional<pages::ApiRoute> api_of(Handler handler) {
  switch (handler) {
    case Handler::kReviewConsent:
      return pages::ApiRoute::kReview;
    case Handler::kApproveConsent:
      return pages::ApiRoute::kApprove;
    case Handler::kDenyConsent:
      return pages::ApiRoute::kDeny;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_for_any_origin(Handler handler) {
  switch (handler) {
    case Handler::kResourceMetadata:
    case Handler::kMcpMetadata:
    case Handler::kAuthorizationMetadata:
    case Handler::kRegisterClient:
    case Handler::kToken:
    case Handler::kRevokeToken:
    case Handler::kPushRequest:
    case Handler::kDeviceRequest:
    case Handler::kConnectAgent:
    case Handler::kPollAgent:
    case Handler::kExchange:
      return true;
    default:
      return false;
  }
}

bool is_of_authorization(Handler handler) {
  return handler == Handler::kAuthorize || handler == Handler::kAsset || api_of(handler).has_value() ||
         page_of(handler).has_value() || console_of(handler).has_value() ||
         (is_for_any_origin(handler) && handler != Handler::kResourceMetadata && handler != Handler::kMcpMetadata);
}

std::optional<auth::ServerUrl> Service::server_url(const http::Request& request) const {
  if (options_.authorization == nullptr) return std::nullopt;
  if (const auto live_options = live(); !live_options->public_url.empty()) return auth::ServerUrl{live_options->public_url};
  const auto host = http::parse_host(request.headers.get("Host").value_or(""));
  if (!host || !http::is_loopback(host->host)) return std::nullopt;
  return auth::ServerUrl{public_url(request)};
}

Response Service::authorization(const http::Request& request, const http::Match& match) {
  const auto handler = static_cast<Handler>(match.route->handler);
  if (handler == Handler::kAsset) {
    auto found = pages::asset(match.at("name"), request.headers.get("Accept-Encoding").value_or(""));
    return found ? *std::move(found) : http::refusal(404, "file not found", request.id);
  }
  const auto here = server_url(request);
  if (!here) {
    return http::refusal(
        404, "this server does not authorize clients at this address; start it with --public-url, or use localhost", request.id);
  }
  if (const auto page = page_of(handler)) return site_->serve(*page, request, *here);
  if (const auto page = console_of(handler)) return console_->serve(*page, request, *here);
  if (const auto api = api_of(handler)) return site_->serve_api(*api, request, *here);
  switch (handler) {
    case Handler::kAuthorize:
      return site_->authorize(request, *here);
    case Handler::kAuthorizationMetadata:
      return oauth_->metadata(*here);
    case Handler::kRegisterClient:
      return oauth_->register_client(request, *here);
    case Handler::kToken:
      return oauth_->token(request, *here);
    case Handler::kRevokeToken:
      return oauth_->revoke(request);
    case Handler::kPushRequest:
      return oauth_->push(request, *here);
    case Handler::kDeviceRequest:
      return oauth_->device(request, *here);
    case Handler::kConnectAgent:
      return oauth_->connect_agent(request, *here);
    case Handler::kPollAgent:
      return oauth_->poll_agent(request, match.at("id"));
    case Handler::kExchange:
      return oauth_->exchange(request);
    default:
      return http::refusal(404, "not found", request.id);
  }
}

// A browser that opens the server's address gets the owner's pages.
bool Service::wants_page(const http::Request& request) const {
  return server_url(request).has_value() &&
         request.headers.get("Accept").value_or("").find("text/html") != std::string_view::npos;
}

http::Response Service::home(const http::Request& request) {
  return console_->serve(console::ConsoleRoute::kHome, request, *server_url(request));
}

}  // namespace ladder::rest

// The routes of the authorization server (docs/reference/oauth.md) and of the owner's pages (docs/use/console.md). They check
// their parameters and report their errors themselves. Every action on a page is a form; all work without JavaScript.
#include "base/limits.h"
#include "pages/assets.h"
#include "rest/handlers.h"
#include "rest/routes.h"

namespace ladder::rest {
namespace {

using console::Console;
using http::Placement;
using http::Weight;
using oauth::Endpoints;
using pages::ConsentAction;
using pages::Section;
using pages::Site;
using Audience = pages::Gate::Audience;

constexpr std::size_t kMaxUpload = 50 * limits::kMiB;
constexpr std::size_t kMaxOAuthForm = 128 * limits::kKiB;  // authorization_details of 64 KiB, partly percent-encoded
constexpr std::size_t kMaxPageForm = 512 * limits::kKiB;   // a checkbox for every field of every stream
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kJson = "application/json";

template <oauth::Endpoints::Endpoint kEndpoint>
Answer endpoint(const Handlers& handlers, const Call& call) {
  return std::get<PageHandlers>(handlers).oauth_endpoint(kEndpoint, call);
}
template <ConsentAction kAction>
Answer consent(const Handlers& handlers, const Call& call) {
  return std::get<PageHandlers>(handlers).consent_action(kAction, call);
}
template <Site::Page kPage, Audience kAudience = Audience::kOwner>
Answer site(const Handlers& handlers, const Call& call) {
  return std::get<PageHandlers>(handlers).site_page(kPage, kAudience, call);
}
template <Console::Page kPage, Section kSection = Section::kNone>
Answer console(const Handlers& handlers, const Call& call) {
  return std::get<PageHandlers>(handlers).console_page(kPage, kSection, call);
}

RouteRow& add(std::vector<RouteRow>& rows, std::string_view method, std::string_view pattern, std::string_view name,
              std::string_view summary, Handler handler, Caller caller) {
  RouteRow& row = rows.emplace_back();
  row.route = {method, pattern, 0, name, summary, {}, Placement::kWorker};
  row.handler = handler;
  row.caller = caller;
  row.of_authorization = true;
  return row;
}

void add_endpoints(std::vector<RouteRow>& rows) {
  const auto post = [&](std::string_view pattern, std::string_view name, std::string_view summary, Handler handler,
                        std::string_view body_type = kForm, Caller caller = Caller::kAnyone) -> RouteRow& {
    RouteRow& row = add(rows, "POST", pattern, name, summary, handler, caller);
    row.any_origin = caller == Caller::kAnyone;
    row.takes(body_type, kMaxOAuthForm);
    return row;
  };
  const auto light = [](RouteRow& row, int success = 200) {
    row.weight = Weight::kLight;
    row.success = success;
  };
  RouteRow& metadata = add(rows, "GET", "/.well-known/oauth-authorization-server", "authorization_metadata",
                           "authorization-server metadata (RFC 8414)", endpoint<&Endpoints::metadata>, Caller::kAnyone);
  metadata.any_origin = true;
  metadata.route.placement = Placement::kHere;
  for (const auto& [pattern, name] : {std::pair{"/oauth/register", "register_client"}, {"/register", "register_client_2025"}}) {
    light(post(pattern, name, "registers a client (RFC 7591); it is removed after 30 days without use",
               endpoint<&Endpoints::register_client>, kJson),
          201);
  }
  for (const auto& [pattern, name] : {std::pair{"/oauth/authorize", "authorize"}, {"/authorize", "authorize_2025"}}) {
    RouteRow& row = add(rows, "GET", pattern, name,
                        "asks the owner for consent in a browser (OAuth 2.1 with PKCE, RFC 8707, RFC 9207, RFC 9396)",
                        handle<&PageHandlers::authorize>, Caller::kAnyone);
    row.answer_type = "text/html";
    light(row, 303);
  }
  light(post("/oauth/token", "token", "exchanges a code, a refresh token or a device code for an access token",
             endpoint<&Endpoints::token>));
  light(post("/token", "token_2025", "the same, at the path used by clients of 2025-03-26", endpoint<&Endpoints::token>));
  light(post("/oauth/revoke", "revoke_token", "revokes a token (RFC 7009); a refresh token with its family",
             endpoint<&Endpoints::revoke>));
  light(post("/oauth/par", "push_request", "stores an authorization request (RFC 9126)", endpoint<&Endpoints::push>), 201);
  light(post("/oauth/device_authorization", "device_request",
             "starts a device authorization (RFC 8628), which the owner answers at /device or with `ladder approve CODE`",
             endpoint<&Endpoints::device>));
  post("/agent-connect", "connect_agent", "starts a request that a program polls (`pdpp connect`)",
       endpoint<&Endpoints::connect_agent>, kJson)
      .success = 201;
  post("/agent-connect/{id}/token", "poll_agent", "its token, after the owner has approved", handle<&PageHandlers::poll_agent>,
       kJson)
      .route.parameters = {{.name = "id", .place = http::ParameterPlace::kPath, .summary = "of the request", .required = true}};
  post("/consent/exchange", "exchange_consent", "exchanges the code shown to the owner for a token",
       endpoint<&Endpoints::exchange>, kJson);
  post("/consent/review", "review_consent", "previews the access that a PDPP consent request would get",
       consent<ConsentAction::kReview>, kJson, Caller::kSession);
  post("/consent/approve", "approve_consent", "approves the reviewed request", consent<ConsentAction::kApprove>, kJson,
       Caller::kSession);
  post("/consent/deny", "deny_consent", "denies the request", consent<ConsentAction::kDeny>, kJson, Caller::kSession);
}

void add_pages(std::vector<RouteRow>& rows) {
  const auto get = [&](std::string_view pattern, std::string_view name, std::string_view summary, Handler handler) -> RouteRow& {
    RouteRow& row = add(rows, "GET", pattern, name, summary, handler, Caller::kSession);
    row.answer_type = "text/html";
    return row;
  };
  const auto post = [&](std::string_view pattern, std::string_view name, std::string_view summary, Handler handler) -> RouteRow& {
    RouteRow& row = add(rows, "POST", pattern, name, summary, handler, Caller::kSession);
    row.takes(kForm, kMaxPageForm);
    row.answer_type = "text/html";
    row.success = 303;
    return row;
  };
  get("/sign-in", "sign_in_page", "the sign-in page", site<&Site::sign_in, Audience::kAnyone>).caller = Caller::kAnyone;
  post("/sign-in", "sign_in", "signs in with name and passphrase", site<&Site::sign_in, Audience::kAnyone>).caller =
      Caller::kAnyone;
  post("/sign-in/passkey", "sign_in_with_passkey", "signs in with a passkey", site<&Site::passkey_sign_in, Audience::kAnyone>)
      .caller = Caller::kAnyone;
  get("/sign-in/link", "link_page", "the page of a one-time link", site<&Site::link, Audience::kAnyone>).caller = Caller::kAnyone;
  post("/sign-in/link", "use_link", "signs in with a one-time link", site<&Site::link, Audience::kAnyone>).caller =
      Caller::kAnyone;
  get("/sign-in/phone", "phone_sign_in_page", "signs in the device that opened the code of a signed-in browser",
      site<&Site::phone_sign_in, Audience::kAnyone>)
      .caller = Caller::kAnyone;
  post("/sign-in/phone", "phone_sign_in", "takes or leaves the code", site<&Site::phone_sign_in, Audience::kAnyone>).caller =
      Caller::kAnyone;
  post("/sign-out", "sign_out", "ends the session", site<&Site::sign_out>);
  get("/consent", "consent_page", "a client's request: its name, purpose and requested access", site<&Site::consent>);
  post("/consent", "consent", "a new preview, Allow or Deny", site<&Site::consent>);
  post("/consent/continue", "consent_continue", "sends the code to the client", site<&Site::continue_to_client>);
  post("/consent/undo", "consent_undo", "revokes the access that was just allowed", site<&Site::undo>);
  get("/device", "device_page", "finds a request by its code", site<&Site::device>);
  get("/passkeys", "passkeys_page", "the owner's passkeys", site<&Site::passkeys>);
  post("/passkeys", "change_passkeys", "adds or removes a passkey", site<&Site::passkeys>);
  post("/tasks", "change_tasks", "postpones or dismisses a task of Home, or puts it back",
       console<&Console::change_tasks, Section::kHome>);
  get("/explore", "explore_page", "the owner's search over everything", console<&Console::explore, Section::kExplore>);
  post("/explore", "change_searches", "saves or deletes a search", console<&Console::explore, Section::kExplore>);
  get("/ask", "ask_page", "the passages that may answer a question", console<&Console::ask, Section::kAsk>);
  post("/ask", "ask", "lets the configured model write an answer, or allows it to", console<&Console::ask, Section::kAsk>)
      .success = 200;
  get("/record", "record_page", "one record, or what a client sees of it", console<&Console::record, Section::kExplore>);
  get("/timeline", "timeline_page", "the records of all kinds by day, and the same day in earlier years",
      console<&Console::timeline_page, Section::kTimeline>);
  get("/person", "person_page", "the records by and to one person", console<&Console::person_page, Section::kExplore>);
  get("/record/file", "record_file", "an attachment, inline or as a download", console<&Console::file>);
  get("/record/page", "document_page", "a page of a PDF document as a picture", console<&Console::document_page>).answer_type =
      "image/png";
  get("/record/delete", "delete_record_page", "the confirmation page for deleting a record",
      console<&Console::delete_record, Section::kExplore>);
  post("/record/delete", "delete_one_record", "permanently deletes a record",
       console<&Console::delete_record, Section::kExplore>);
  get("/sources", "sources_page", "the sources, and records that could not be imported",
      console<&Console::sources, Section::kSources>);
  post("/sources", "change_source", "changes a source", console<&Console::sources, Section::kSources>);
  get("/sources/add", "add_sync_page", "the form for an account that Ladder reads by itself",
      console<&Console::add_sync, Section::kSources>);
  post("/sources/add", "add_sync", "signs in to the account, and adds it if that works",
       console<&Console::add_sync, Section::kSources>);
  get("/sources/sync", "sync_page", "a synced source: its state, its settings and its password",
      console<&Console::sync, Section::kSources>);
  post("/sources/sync", "change_sync", "runs, pauses, changes or removes a synced source",
       console<&Console::sync, Section::kSources>);
  get("/sources/manage", "source_page", "one source: its name, and how it is shown",
      console<&Console::manage_source, Section::kSources>);
  post("/sources/manage", "manage_source", "renames, hides or groups a source",
       console<&Console::manage_source, Section::kSources>);
  get("/sources/merge", "merge_page", "the confirmation page for merging a source into another one, or the progress",
      console<&Console::merge_sources, Section::kSources>);
  post("/sources/merge", "merge_sources", "merges a source into another one and erases it",
       console<&Console::merge_sources, Section::kSources>);
  RouteRow& archive = post("/sources/export", "export", "exports a connection", console<&Console::export_records>);
  archive.answer_type = "application/zip";
  archive.success = 200;
  get("/sources/erase", "erase_page", "the confirmation page for erasing a connection",
      console<&Console::erase, Section::kSources>);
  post("/sources/erase", "erase", "permanently erases a connection", console<&Console::erase, Section::kSources>);
  get("/import", "import_page", "the imports", console<&Console::import, Section::kSources>);
  post("/import", "import", "uploads files; starts, pauses or ends an import", console<&Console::import, Section::kSources>)
      .takes("multipart/form-data", kMaxUpload);
  RouteRow& upload = add(rows, "POST", "/import/upload", "import_upload", "uploads a part of a file", console<&Console::upload>,
                         Caller::kSession);
  upload.takes("application/octet-stream", kMaxUpload);
  RouteRow& share = post(pages::kSharePath, "import_share", "takes files that a phone shares, for review",
                         console<&Console::share, Section::kSources>);
  share.takes("multipart/form-data", kMaxUpload);
  share.from_browser = true;
  get("/clients", "clients_page", "the clients and their access", console<&Console::clients, Section::kClients>);
  post("/clients", "change_client", "revokes or extends a client's access", console<&Console::clients, Section::kClients>);
  get("/client", "client_page", "one client: its access and what it has read", console<&Console::client, Section::kClients>);
  post("/client", "change_one_client", "revokes or extends a client's access, or blocks the client",
       console<&Console::client, Section::kClients>);
  get("/client/narrow", "narrow_page", "the form to reduce a client's access", console<&Console::narrow, Section::kClients>);
  post("/client/narrow", "narrow", "previews or saves the reduced access", console<&Console::narrow, Section::kClients>);
  get("/requests", "requests_page", "the pending requests", console<&Console::requests, Section::kRequests>);
  post("/requests", "find_request", "opens or denies a request", console<&Console::requests, Section::kRequests>);
  get("/ledger", "ledger_page", "the activity log", console<&Console::ledger, Section::kLedger>);
  get("/ledger/entry", "ledger_entry_page", "one response, with everything it contained",
      console<&Console::ledger_entry, Section::kLedger>);
  get("/ledger/record", "ledger_record_page", "the parts of a record that each client has read",
      console<&Console::ledger_record, Section::kLedger>);
  get("/ledger/export", "ledger_export", "the ledger as NDJSON or CSV", console<&Console::ledger_export>);
  get("/settings", "settings_page", "the settings for sign-in and the server", console<&Console::settings, Section::kSettings>);
  post("/settings", "change_settings", "changes a setting", console<&Console::settings, Section::kSettings>);
  get("/settings/phone", "phone_page", "the code that signs in a phone", console<&Console::phone, Section::kSettings>);
  post("/settings/phone", "change_phone", "shows a code, or confirms the phone that scanned it",
       console<&Console::phone, Section::kSettings>);
  get("/settings/backups", "backups_page", "the backups of the store", console<&Console::backups, Section::kSettings>);
  post("/settings/backups", "change_backups", "makes a backup, or changes the schedule",
       console<&Console::backups, Section::kSettings>);
  get("/settings/notifications", "notifications_page", "the channels of notifications",
      console<&Console::notifications, Section::kSettings>);
  post("/settings/notifications", "change_notifications", "adds, tests or removes a channel, or chooses its events",
       console<&Console::notifications, Section::kSettings>);
  get("/panic", "panic_page", "the confirmation page for revoking all access", console<&Console::panic>);
  post("/panic", "panic", "revokes every client's access immediately", console<&Console::panic>);
  RouteRow& manifest = add(rows, "GET", "/manifest.webmanifest", "manifest", "lets a phone install the pages",
                           handle<&PageHandlers::manifest>, Caller::kAnyone);
  manifest.route.placement = Placement::kHere;
  manifest.answer_type = "application/manifest+json";
  RouteRow& asset = add(rows, "GET", "/assets/{name}", "asset", "the stylesheet, the script and the icons of the pages",
                        handle<&PageHandlers::asset>, Caller::kAnyone);
  asset.route.parameters = {{.name = "name",
                             .place = http::ParameterPlace::kPath,
                             .summary = "the file's name, with a digest of its bytes",
                             .required = true}};
  asset.route.placement = Placement::kHere;
  asset.answer_type = "*/*";
}

}  // namespace

void add_authorization_routes(std::vector<RouteRow>& rows) {
  add_endpoints(rows);
  add_pages(rows);
}

}  // namespace ladder::rest

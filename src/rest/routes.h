// The table of routes: paths, parameters, limits, bodies, who may ask, what can go wrong and where it runs, once. Routing, the
// check of parameters, /openapi.json and the table in docs/rest.md are all made from it.
#pragma once

#include "base/error/error.h"
#include "http/router.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::rest {

enum class Handler : int {
  kIndex,
  kHealth,
  kReady,
  kMetrics,
  kOpenApi,
  kResourceMetadata,
  kMcpMetadata,
  kSchema,
  kConnectors,
  kStreams,
  kStream,
  kRecords,
  kRecord,
  kFieldWindow,
  kAggregate,
  kSearch,
  kBlob,
  kIngest,
  kPutBlob,
  kDeleteRecord,
  kErasures,
  kDeleteRecords,
  kGrants,
  kGrant,
  kRevokeGrant,
  kIntrospect,
  kLedger,
  kLedgerSeen,
  kLedgerUse,
  kLedgerState,
  kSetLedger,
  kSetBudget,
  kMcp,
  kAuthorizationMetadata,
  kRegisterClient,
  kAuthorize,
  kToken,
  kRevokeToken,
  kPushRequest,
  kDeviceRequest,
  kConnectAgent,
  kPollAgent,
  kExchange,
  kReviewConsent,
  kApproveConsent,
  kDenyConsent,
  kSignInPage,
  kPasskeySignIn,
  kLinkPage,
  kSignOut,
  kConsentPage,
  kConsentContinue,
  kConsentUndo,
  kDevicePage,
  kPasskeysPage,
  kExplorePage,
  kRecordPage,
  kRecordFile,
  kDocumentPage,
  kSourcesPage,
  kExportPage,
  kErasePage,
  kImportPage,
  kImportUpload,
  kClientsPage,
  kClientPage,
  kNarrowPage,
  kRequestsPage,
  kLedgerPage,
  kLedgerEntryPage,
  kLedgerRecordPage,
  kLedgerExport,
  kSettingsPage,
  kPanicPage,
  kAsset,
};

// Endpoints that pages of any origin may call: they take no cookie and no token.
bool is_for_any_origin(Handler handler);
// Routes of the authorization server and its pages.
bool is_of_authorization(Handler handler);

enum class Caller : std::uint8_t {
  kAnyone,
  kToken,   // a client's or the owner's
  kClient,  // a client's only
  kOwner,
  kSession,  // the owner in a browser, by the session's cookie
};

// A row: what the router needs, and what only documents need.
struct RouteRow {
  http::Route route;
  Caller caller = Caller::kToken;
  int success = 200;
  std::string_view answer_type = "application/json";
  std::string_view body_type = {};  // of the request; empty when it takes no body
  std::string_view limits = {};     // a sentence on what one answer carries, when the parameters do not say it
  std::vector<std::pair<int, std::string_view>> also = {};  // further answers that are no errors of the list
  std::vector<Code> codes = {};                             // what it may answer beyond what every route of that caller may

  std::vector<Code> all_codes() const;  // with those
};

// `reads` is where reads run: on the I/O thread for SQLite, on a worker when every read waits for a server.
std::vector<RouteRow> routes(http::Placement reads);
std::vector<http::Route> http_routes(const std::vector<RouteRow>& rows);

// OpenAPI 3.1, from the rows.
std::string openapi(const std::vector<RouteRow>& rows, std::string_view version);
// The same as the tables of docs/rest.md, in Markdown.
std::string route_tables(const std::vector<RouteRow>& rows);

}  // namespace ladder::rest

// The table of routes: paths, parameters, limits, bodies, callers, error codes and placement. Routing, the parameter checks,
// /openapi.json and the table in docs/rest.md are generated from it.
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

// Reports whether pages of any origin may call the endpoint, because it takes no cookie and no token.
bool is_for_any_origin(Handler handler);
// Reports whether the route belongs to the authorization server or its pages.
bool is_of_authorization(Handler handler);

enum class Caller : std::uint8_t {
  kAnyone,
  kToken,   // a client or the owner
  kClient,  // a client only
  kOwner,
  kSession,  // the owner in a browser, with a session cookie
};

// A row: fields for the router, and fields for the documentation only.
struct RouteRow {
  http::Route route;
  Caller caller = Caller::kToken;
  int success = 200;
  std::string_view answer_type = "application/json";
  std::string_view body_type = {};                          // of the request; empty if it takes no body
  std::string_view limits = {};                             // limits on the response that no parameter describes
  std::vector<std::pair<int, std::string_view>> also = {};  // further statuses that are not errors of the list
  std::vector<Code> codes = {};                             // errors in addition to those of every route of that caller

  std::vector<Code> all_codes() const;  // includes the common errors
};

// `reads` is where reads run: on the I/O thread for SQLite, on a worker if every read waits for a database server.
std::vector<RouteRow> routes(http::Placement reads);
std::vector<http::Route> http_routes(const std::vector<RouteRow>& rows);

// Renders OpenAPI 3.1 from the rows.
std::string openapi(const std::vector<RouteRow>& rows, std::string_view version);
// Renders the tables of docs/rest.md in Markdown.
std::string route_tables(const std::vector<RouteRow>& rows);

}  // namespace ladder::rest

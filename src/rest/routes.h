// The table of routes: paths, parameters, bodies and where they run, once. Routing, the check of parameters and /openapi.json are
// all made from it.
#pragma once

#include "http/router.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::rest {

enum class Handler : int {
  kIndex,
  kHealth,
  kReady,
  kMetrics,
  kOpenApi,
  kResourceMetadata,
  kSchema,
  kStreams,
  kStream,
  kRecords,
  kRecord,
  kFieldWindow,
  kIngest,
  kDeleteRecord,
  kRevokeGrant,
};

// `reads` is where reads run: on the I/O thread for SQLite, on a worker when every read waits for a server.
std::vector<http::Route> routes(http::Placement reads);

// OpenAPI 3.1, from the rows.
std::string openapi(const std::vector<http::Route>& routes, std::string_view version);

}  // namespace ladder::rest

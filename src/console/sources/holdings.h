// The owner's connections as the pages show them: name, counts, the period their records cover, and what imports came to.
#pragma once

#include "base/error/error.h"
#include "html/html.h"
#include "server/owner/imports.h"
#include "server/resource_server.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct Holding {
  server::ConnectionSummary connection;
  std::string name;    // of its source, or its own where the source has several connections
  std::string detail;  // its own, where that says more
  std::int64_t records = 0;
  std::map<int, std::int64_t> by_year = {};  // of records whose time is declared and counted
  std::optional<Instant> first = {}, last = {};
  std::vector<server::ImportAccount> imports = {};  // newest first

  Instant last_import() const { return imports.empty() ? 0 : imports.front().kept_at; }
  std::int64_t lost() const;
  bool broken_off() const;  // an import of it can go on
};

// An import that runs or is paused has a page of its own: what it has written down so far is not broken off.
void leave_out_running(std::vector<Holding>& holdings, Instant since);

enum class Depth { kCounts, kYears, kPeriod };

// Every connection, the newest import first. Nothing here looks at records one by one: years come from the days that are counted
// when records are written, and a stream whose counters are not ready is left out of them.
Result<std::vector<Holding>> holdings(server::ResourceServer& server, const server::Access& owner, Depth depth);

// Records by source and year: a row of bars for each, and the same figures as a table.
html::Writer timeline(const std::vector<Holding>& holdings, int this_year);

}  // namespace ladder::console

// The owner's connections as the pages show them: name, counts, time range and imports.
#pragma once

#include "base/error/error.h"
#include "console/arrangement.h"
#include "html/html.h"
#include "server/owner/imports.h"
#include "server/owner/sources.h"
#include "server/read/reads.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct Holding {
  server::ConnectionSummary connection;
  std::string name;         // the name that the owner chose, else of the source, else of the connection if the source has several
  std::string detail;       // additional name, if it adds information
  std::string source_name;  // "E-mail"
  std::int64_t records = 0;                    // without those that only belong to others, such as the folders of mail
  std::vector<std::string> link_streams = {};  // the streams of those
  std::map<int, std::int64_t> by_year = {};    // records with a declared and counted time
  std::optional<Instant> first = {}, last = {};
  std::vector<server::ImportAccount> imports = {};  // newest first

  Instant last_import() const { return imports.empty() ? 0 : imports.front().kept_at; }
  bool only_links(std::string_view stream) const;
  std::int64_t lost() const;
  bool broken_off() const;  // an import was interrupted and can continue
};

// Treats imports since `since` as complete. A running or paused import has its own page and is not reported as interrupted.
void exclude_running_imports(std::vector<Holding>& holdings, Instant since);

enum class Depth { kCounts, kYears, kPeriod };

// Returns every connection, newest import first. Never scans records: years come from the day counters, and streams whose
// counters are not ready are omitted from the years.
Result<std::vector<Holding>> holdings(server::Sources& sources, server::Reads& reads, server::Imports& imports,
                                      const server::Access& owner, Depth depth);

// Leaves out hidden sources, and shows those of a group as one, with its name.
std::vector<Holding> arranged(const std::vector<Holding>& holdings, const Arrangement& arrangement);

// Records by source and year: a row of bars per source, and the same numbers as a table.
html::Writer timeline(const std::vector<Holding>& holdings, int this_year);

}  // namespace ladder::console

// Tells what imports covered, stream by stream, from the accounts that `ladder import` keeps. For the owner alone: an account
// counts what was read, whatever a grant may show of it, so a client learns nothing of it (design D5).
#pragma once

#include "api/schema.h"
#include "server/resource_server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::server {

struct ImportFacts {
  std::string connection_id, stream;
  Instant last_import = 0;
  std::int64_t parts = 0;         // mailboxes, exports, folders … that held something for this stream
  std::int64_t records_read = 0;  // by the last import of each
  std::int64_t not_imported = 0;  // things in these parts that could not be read, of whatever stream
  bool complete = true;           // false: an import was broken off and can go on
  std::string from, to;           // the period covered; empty when the records have no times
};

// For every connection and stream of the view into which something was imported; nothing for a client. kStoreUnavailable.
Result<std::vector<ImportFacts>> import_facts(ResourceServer& server, const Access& access, const api::SchemaView& view);

}  // namespace ladder::server

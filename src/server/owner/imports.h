// Tells what imports covered, stream by stream, from the accounts that `ladder import` keeps. For the owner alone: an account
// counts what was read, whatever a grant may show of it, so a client learns nothing of it (design D5).
#pragma once

#include "api/schema.h"
#include "server/resource_server.h"

#include <cstdint>
#include <string>
#include <string_view>
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

// The account of a part of an import (a mailbox, an export, a folder), as far as its owner is shown it.
struct ImportLoss {
  std::string file, reason;
  std::int64_t byte = -1;  // where in the file; -1: the file as a whole
};
struct ImportedStream {
  std::string stream;
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, rejected = 0;
  std::string from, to;  // the period covered, as RFC 3339 in UTC; empty when the records have no times
};
struct ImportAccount {
  std::string what, file;
  std::string broken_off;  // why not all of it was read; empty when it was
  Instant kept_at = 0;
  bool complete = false;  // false: it was broken off and can go on
  std::vector<ImportedStream> streams = {};
  std::int64_t lost = 0;                // all of them,
  std::vector<ImportLoss> losses = {};  // the first of them by name
};

// Of every part that came into the connection; what cannot be read as an account is left out. kConnectionNotFound.
Result<std::vector<ImportAccount>> import_accounts(ResourceServer& server, const Access& access, std::string_view connection_id);

// For every connection and stream of the view into which something was imported; nothing for a client. kStoreUnavailable.
Result<std::vector<ImportFacts>> import_facts(ResourceServer& server, const Access& access, const api::SchemaView& view);

}  // namespace ladder::server

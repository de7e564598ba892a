// Reports what imports covered per stream, from the reports that `ladder import` stores. For the owner only: a report
// counts everything read, regardless of grants, so clients must not see it (design D5).
#pragma once

#include "api/schema.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "server/shared/key_set.h"
#include "server/shared/shared_state.h"
#include "store/rows/rows.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct ImportSummary {
  std::string connection_id, stream;
  Instant last_import = 0;
  std::int64_t parts = 0;         // mailboxes, exports or folders with records for this stream
  std::int64_t records_read = 0;  // by the last import of each part
  std::int64_t not_imported = 0;  // unreadable items in these parts, for all streams
  bool complete = true;           // false: an import was interrupted and can be resumed
  std::string from, to;           // the period covered; empty if the records have no times
};

// The report of one part of an import (a mailbox, an export, a folder), as shown to the owner.
struct ImportLoss {
  std::string file, reason;
  std::int64_t byte = -1;  // position in the file; -1: the complete file
};
struct ImportedStream {
  std::string stream;
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, rejected = 0;
  std::string from, to;  // the period covered, as RFC 3339 in UTC; empty if the records have no times
};
struct ImportAccount {
  std::string what, file;
  std::string broken_off;  // why it was interrupted; empty if it was not
  Instant kept_at = 0;
  bool complete = false;  // false: it was interrupted and can be resumed
  std::vector<ImportedStream> streams = {};
  std::int64_t lost = 0;                // total count
  std::vector<ImportLoss> losses = {};  // details of the first ones
};

// The records of a connection that an import did not find in its files.
struct MissingRecords {
  std::int64_t all = 0;  // records in the connection
  std::int64_t missing = 0;
  std::map<std::string, std::vector<std::string>> keys;  // of the missing ones, by stream
};

class Imports {
 public:
  static constexpr std::size_t kMaxImportBytes = 16 * 1024 * 1024;

  explicit Imports(SharedState& shared) : shared_(shared) {}

  // Stores the report of one part of an import, in the importer's own format, at most kMaxImportBytes. kPermission for a
  // client's access, here and below; kConnectionNotFound.
  Status put(const Access& access, std::string_view connection_id, std::string_view unit, std::string_view body);
  Result<std::vector<store::ImportRow>> list(const Access& access, std::string_view connection_id);
  // Returns the reports of every part imported into the connection; unreadable reports are skipped.
  // kConnectionNotFound.
  Result<std::vector<ImportAccount>> accounts(const Access& access, std::string_view connection_id);
  // Returns the records whose keys are not in `seen`, by stream; each set is finished. A stream that is not in `seen` is missing
  // completely.
  Result<MissingRecords> missing(const Access& access, std::string_view connection_id, const std::map<std::string, KeySet>& seen);
  // Returns the imports of every connection and stream in the view; empty for a client. kStoreUnavailable.
  Result<std::vector<ImportSummary>> summaries(const Access& access, const api::SchemaView& view);

 private:
  SharedState& shared_;
};

}  // namespace ladder::server

// One run over a source: every folder is brought up to date, then the records of messages that are gone are removed.
//
// New messages are read before anything is removed, so a message that was moved to another folder keeps its record. A run that is
// interrupted loses nothing: each batch is saved with the state of its folder, and a message that was imported but not saved is
// imported again to the same record.
#pragma once

#include "sync/folder_sync.h"

#include <filesystem>
#include <string>

namespace ladder::sync {

struct RunOptions {
  std::int64_t confirmed_removals = 0;  // up to this number of messages is removed without asking
  std::filesystem::path staging;
  std::function<void(const RunReport&)> progress = {};
};

// Returns what the run did. kConflict if another process changed the state; errors of the client and of the store.
Result<RunReport> run_source(const Source& source, SyncStore& store, const server::Access& owner, imap::Client& client,
                             RecordSink& sink, const RunOptions& options);

}  // namespace ladder::sync

// One run over a source: every folder is brought up to date, then the records of messages that are gone are removed.
//
// New messages are read before anything is removed, so a message that was moved to another folder keeps its record. A run that is
// interrupted loses nothing: each batch is saved with the state of its folder, and a message that was imported but not saved is
// imported again to the same record.
#pragma once

#include "sync/folder_sync.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ladder::sync {

struct RunOptions {
  std::int64_t confirmed_removals = 0;  // up to this number of messages is removed without asking
  std::int64_t removed_recently = 0;    // by earlier runs without asking
  std::filesystem::path staging;
  std::function<void(const RunReport&)> progress = {};
};

// Reads the folders of a source, and returns the wire names of those that are synced. An error means that the reading is not
// complete; nothing is removed then.
using ReadFolders = std::function<Result<std::vector<std::string>>(RunParts& run, std::vector<FolderState>& folders)>;

ReadFolders imap_folders(imap::Client& client);  // it must outlive the function

// Returns the state of a folder, which is new if it was never read. Adding one invalidates references to the others.
FolderState& state_of(std::vector<FolderState>& folders, const std::string& wire_name, const std::string& name);

// Returns the report of the run. kConflict if another process changed the state; errors of the source and of the store.
Result<RunReport> run_source(const Source& source, SyncStore& store, const server::Access& owner, const ReadFolders& read,
                             RecordSink& sink, const RunOptions& options);

}  // namespace ladder::sync

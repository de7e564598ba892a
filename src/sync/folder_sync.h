// Brings one folder up to date: fetches new messages in batches, passes on changed flags, and marks messages that are gone.
#pragma once

#include "server/access/access.h"
#include "sync/imap/client.h"
#include "sync/record_sink.h"
#include "sync/staging.h"
#include "sync/sync_store.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ladder::sync {

// The folder to watch for new messages after a run: the inbox, if it is synced.
struct WatchedFolder {
  std::string wire_name;
  std::uint64_t messages = 0, uid_next = 0;  // that the run has seen
};

struct RunReport {
  std::int64_t folders = 0;    // read completely
  std::int64_t unchanged = 0;  // of them, without any change
  std::int64_t messages = 0;   // at the source
  std::int64_t fetched = 0;    // new messages
  std::int64_t fetched_bytes = 0;
  std::int64_t changed_flags = 0;
  std::int64_t removed = 0;             // messages whose records were removed
  std::int64_t waiting_removals = 0;    // messages whose removal needs a confirmation
  std::vector<std::string> unreadable;  // folders that the server lists and does not open
  bool is_incomplete = false;           // something could not be read, so nothing was removed
  WatchedFolder watched;
};

// The parts of a run that its folders share.
struct RunParts {
  const Source& source;
  SyncStore& store;
  const server::Access& owner;
  RecordSink& sink;
  Staging& staging;
  RunReport& report;
  std::function<void()> progress;
};

// Imports the staged items, and adds them to the folder with the records that they became.
Status add_imported(RunParts& run, FolderState& folder, std::vector<Entry> fetched);
std::string filing_of(const Entry& entry);  // the key of the record that has the flags of a message

class FolderSync {
 public:
  FolderSync(RunParts& run, FolderState& folder, imap::Client& client) : run_(run), folder_(folder), client_(client) {}

  // Opens the folder and reads it completely. An error means that its listing may be cut short: nothing is marked as gone then.
  Status sync();

 private:
  struct Planned {
    imap::Uid uid = 0;
    std::uint64_t size = 0;
  };
  Status forget_if_renumbered(const imap::Opened& opened);
  Status list_new(const imap::Opened& opened);
  Status fetch_new();
  Status fetch_batch(std::span<const Planned> batch);
  Status fetch_or_split(std::span<const imap::Uid> uids, std::vector<Entry>& fetched);
  void note_flags(const imap::Fetched& fetched);
  Status import_batch(const std::vector<Entry>& fetched);
  Status take_changes(const imap::Opened& opened);
  Status take_flags(std::uint64_t changed_since);
  Status mark_gone(const imap::UidSet& uids, bool are_gone);
  Status find_gone(imap::Opened opened);
  Status pass_on_flags();

  RunParts& run_;
  FolderState& folder_;
  imap::Client& client_;
  std::vector<imap::Uid> known_;            // ascending
  std::map<imap::Uid, std::string> flags_;  // that the server reported for known messages
  std::vector<imap::Uid> refused_, empty_;  // of the batch: not sent, or sent without content
  bool is_too_large_ = false;               // the batch, by the real sizes
  std::vector<Planned> new_;                // ascending
};

}  // namespace ladder::sync

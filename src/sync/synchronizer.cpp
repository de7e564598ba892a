#include "sync/synchronizer.h"

#include "sync/folder_choice.h"
#include "sync/removals.h"

#include <algorithm>

namespace ladder::sync {
namespace {

// Reports whether the folder is known to be unchanged without opening it.
bool is_unchanged(const FolderState& folder, const imap::Mailbox& mailbox) {
  if (!mailbox.status || folder.version == 0 || folder.modseq == 0) return false;
  const imap::MailboxStatus& now = *mailbox.status;
  return now.modseq == folder.modseq && now.uid_validity == folder.uid_validity && now.messages == folder.messages &&
         now.uid_next == folder.uid_next;
}

WatchedFolder watched_of(const std::vector<imap::Mailbox>& chosen, std::vector<FolderState>& folders) {
  const auto inbox =
      std::ranges::find_if(chosen, [](const imap::Mailbox& one) { return imap::upper_case(one.wire_name) == "INBOX"; });
  const imap::Mailbox& mailbox = inbox == chosen.end() ? chosen.front() : *inbox;
  const FolderState& folder = state_of(folders, mailbox.wire_name, mailbox.name);
  return {folder.wire_name, folder.messages, folder.uid_next};
}

}  // namespace

FolderState& state_of(std::vector<FolderState>& folders, const std::string& wire_name, const std::string& name) {
  const auto found = std::ranges::find(folders, wire_name, &FolderState::wire_name);
  if (found != folders.end()) return *found;
  FolderState& folder = folders.emplace_back();
  folder.wire_name = wire_name;
  folder.name = name;
  return folder;
}

ReadFolders imap_folders(imap::Client& client) {
  return [&client](RunParts& run, std::vector<FolderState>& folders) -> Result<std::vector<std::string>> {
    LADDER_TRY(const auto mailboxes, client.list());
    LADDER_TRY(const auto chosen, choose_folders(mailboxes, run.source.folders, client.is_gmail()));
    std::vector<std::string> names;
    for (const imap::Mailbox& mailbox : chosen) {
      names.push_back(mailbox.wire_name);
      FolderState& folder = state_of(folders, mailbox.wire_name, mailbox.name);
      if (is_unchanged(folder, mailbox)) {
        ++run.report.folders;
        ++run.report.unchanged;
        run.report.messages += static_cast<std::int64_t>(folder.messages);
      } else {
        const Status done = FolderSync(run, folder, client).sync();
        const bool is_closed = !done && (done.error().code == Code::kNotFound || done.error().code == Code::kInvalidRequest);
        if (is_closed) run.report.unreadable.push_back(mailbox.name);
        else LADDER_CHECK(done);
      }
    }
    run.report.watched = watched_of(chosen, folders);
    return names;
  };
}

Result<RunReport> run_source(const Source& source, SyncStore& store, const server::Access& owner, const ReadFolders& read,
                             RecordSink& sink, const RunOptions& options) {
  RunReport report;
  LADDER_TRY(std::vector<FolderState> folders, store.folders(owner, source.name));
  LADDER_TRY(Staging staging, Staging::open(options.staging));
  RunParts parts{source, store, owner, sink, staging, report, [&] {
                   if (options.progress) options.progress(report);
                 }};
  LADDER_TRY(const std::vector<std::string> chosen, read(parts, folders));
  if (!report.is_incomplete) {
    LADDER_CHECK(mark_lost_folders(parts, folders, chosen));
    LADDER_CHECK(remove_gone(parts, folders, options.confirmed_removals, options.removed_recently));
  }
  LADDER_CHECK(staging.clear());
  return report;
}

}  // namespace ladder::sync

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

FolderState& state_of(std::vector<FolderState>& folders, const imap::Mailbox& mailbox) {
  const auto found = std::ranges::find(folders, mailbox.wire_name, &FolderState::wire_name);
  if (found != folders.end()) return *found;
  FolderState& folder = folders.emplace_back();
  folder.wire_name = mailbox.wire_name;
  folder.name = mailbox.name;
  return folder;
}

}  // namespace

namespace {

WatchedFolder watched_of(const std::vector<imap::Mailbox>& chosen, std::vector<FolderState>& folders) {
  const auto inbox =
      std::ranges::find_if(chosen, [](const imap::Mailbox& one) { return imap::upper_case(one.wire_name) == "INBOX"; });
  const FolderState& folder = state_of(folders, inbox == chosen.end() ? chosen.front() : *inbox);
  return {folder.wire_name, folder.messages, folder.uid_next};
}

}  // namespace

Result<RunReport> run_source(const Source& source, SyncStore& store, const server::Access& owner, imap::Client& client,
                             RecordSink& sink, const RunOptions& options) {
  RunReport report;
  LADDER_TRY(std::vector<FolderState> folders, store.folders(owner, source.name));
  LADDER_TRY(const auto mailboxes, client.list());
  LADDER_TRY(const auto chosen, choose_folders(mailboxes, source.folders, client.is_gmail()));
  LADDER_TRY(Staging staging, Staging::open(options.staging));
  RunParts parts{source, store, owner, client, sink, staging, report, [&] {
                   if (options.progress) options.progress(report);
                 }};
  for (const imap::Mailbox& mailbox : chosen) {
    FolderState& folder = state_of(folders, mailbox);
    if (is_unchanged(folder, mailbox)) {
      ++report.folders;
      ++report.unchanged;
      report.messages += static_cast<std::int64_t>(folder.messages);
    } else {
      const Status done = FolderSync(parts, folder).sync();
      const bool is_closed = !done && (done.error().code == Code::kNotFound || done.error().code == Code::kInvalidRequest);
      if (is_closed) report.unreadable.push_back(mailbox.name);
      else LADDER_CHECK(done);
    }
  }
  report.watched = watched_of(chosen, folders);
  LADDER_CHECK(mark_lost_folders(parts, folders, chosen));
  LADDER_CHECK(remove_gone(parts, folders, options.confirmed_removals));
  LADDER_CHECK(staging.clear());
  return report;
}

}  // namespace ladder::sync

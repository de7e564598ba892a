#include "sync/removals.h"

#include "base/text/format.h"

#include <algorithm>
#include <set>
#include <string>

namespace ladder::sync {
namespace {

constexpr std::size_t kRemovalBatch = 1000;

struct Gone {
  std::set<std::string> messages, filings;  // records without a message at the source
  std::vector<RecordKey> attachments;
  std::size_t all_messages = 0;  // of the source, with those that are gone
  bool any = false;
};

Gone collect(std::vector<FolderState>& folders) {
  std::set<std::string> live_messages, live_filings;
  for (FolderState& folder : folders) {
    folder.each([&](const Entry& entry) {
      if (!entry.gone) {
        live_messages.insert(entry.message);
        live_filings.insert(entry.filing);
      }
      return false;
    });
  }
  Gone gone;
  for (FolderState& folder : folders) {
    folder.each([&](const Entry& entry) {
      if (!entry.gone) return false;
      gone.any = true;
      if (!entry.filing.empty() && !live_filings.contains(entry.filing)) gone.filings.insert(entry.filing);
      if (entry.message.empty() || live_messages.contains(entry.message) || !gone.messages.insert(entry.message).second)
        return false;
      for (std::int64_t i = 1; i <= entry.attachments; ++i)
        gone.attachments.push_back({"attachments", format("{}-{}", entry.message, i)});
      return false;
    });
  }
  live_messages.erase("");
  gone.all_messages = live_messages.size() + gone.messages.size();
  return gone;
}

std::vector<RecordKey> records_of(Gone& gone) {
  std::vector<RecordKey> records = std::move(gone.attachments);
  for (const std::string& key : gone.filings) records.push_back({"filings", key});
  for (const std::string& key : gone.messages) records.push_back({"messages", key});
  return records;
}

bool needs_confirmation(const Gone& gone) {
  const auto count = static_cast<std::int64_t>(gone.messages.size());
  return count > 1 && count * 100 > static_cast<std::int64_t>(gone.all_messages) * kConfirmedPercent;
}

void drop_gone(FolderState& folder) {
  for (Chunk& chunk : folder.chunks) chunk.changed = std::erase_if(chunk.entries, &Entry::gone) > 0 || chunk.changed;
}

}  // namespace

Status mark_lost_folders(RunParts& run, std::vector<FolderState>& folders, const std::vector<imap::Mailbox>& chosen) {
  for (FolderState& folder : folders) {
    if (std::ranges::find(chosen, folder.wire_name, &imap::Mailbox::wire_name) != chosen.end()) continue;
    LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
    folder.forget_all();
    folder.uid_validity = 0;
    LADDER_CHECK(run.store.save(run.owner, run.source.name, folder));
  }
  return {};
}

Status remove_gone(RunParts& run, std::vector<FolderState>& folders, std::int64_t confirmed) {
  if (std::ranges::none_of(folders, [](const FolderState& folder) { return folder.gone > 0; })) return {};
  for (FolderState& folder : folders) LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
  Gone gone = collect(folders);
  if (!gone.any) return {};
  const std::int64_t messages = std::ssize(gone.messages);
  if (!run.source.keep_deleted) {
    if (messages > confirmed && needs_confirmation(gone)) {
      run.report.waiting_removals = messages;
      return {};
    }
    const std::vector<RecordKey> records = records_of(gone);
    for (std::size_t at = 0; at < records.size(); at += kRemovalBatch)
      LADDER_CHECK(run.sink.remove(std::span(records).subspan(at, std::min(kRemovalBatch, records.size() - at))));
    run.report.removed = messages;
  }
  for (FolderState& folder : folders) {
    drop_gone(folder);
    LADDER_CHECK(run.store.save(run.owner, run.source.name, folder));
    const bool is_lost = folder.uid_validity == 0;
    if (is_lost) LADDER_CHECK(run.store.drop(run.owner, run.source.name, folder));
  }
  return {};
}

}  // namespace ladder::sync

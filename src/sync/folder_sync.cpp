#include "sync/folder_sync.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ladder::sync {
namespace {

constexpr std::size_t kBatchMessages = 250;
constexpr std::uint64_t kBatchBytes = 16 * limits::kMiB;
constexpr std::size_t kMaxMessages = 5'000'000;  // of one folder
constexpr std::size_t kFlagBatch = 500;
constexpr int kListTries = 3;

}  // namespace

Status FolderSync::sync() {
  const imap::KnownState known{folder_.uid_validity, folder_.modseq};
  const auto take = [this](const imap::Fetched& fetched) -> Status {
    note_flags(fetched);
    return {};
  };
  LADDER_CHECK(run_.store.load_entries(run_.owner, run_.source.name, folder_));
  folder_.each([this](const Entry& entry) {
    if (!entry.gone) known_.push_back(entry.uid);
    return false;
  });
  std::ranges::sort(known_);
  LADDER_TRY(const imap::Opened opened, client_.examine(folder_.wire_name, &known, take));
  LADDER_CHECK(forget_if_renumbered(opened));
  // The next number can only grow. A server that announced a wrong one before must not hide new messages.
  if (opened.status.uid_next != 0 && opened.status.uid_next < folder_.uid_next)
    folder_.uid_next = known_.empty() ? 1 : known_.back() + 1;
  LADDER_CHECK(list_new(opened));
  if (folder_.live() > 0) LADDER_CHECK(take_changes(opened));
  LADDER_CHECK(fetch_new());
  // Numbers that were given to messages that are gone again are never read.
  if (opened.status.uid_next > folder_.uid_next)
    folder_.uid_next = static_cast<imap::Uid>(std::min<std::uint64_t>(opened.status.uid_next, imap::kMaxUid));
  folder_.modseq = opened.status.modseq;
  folder_.messages = opened.status.messages;
  LADDER_CHECK(run_.store.save(run_.owner, run_.source.name, folder_));
  ++run_.report.folders;
  run_.report.messages += static_cast<std::int64_t>(folder_.live());
  return {};
}

// Only flags of known messages are kept, whatever the server reports.
void FolderSync::note_flags(const imap::Fetched& fetched) {
  if (fetched.flags && std::ranges::binary_search(known_, fetched.uid)) flags_[fetched.uid] = maildir_flags(*fetched.flags);
}

// The server may number all messages of a folder again. Their records are found again by their content.
Status FolderSync::forget_if_renumbered(const imap::Opened& opened) {
  if (opened.status.uid_validity == folder_.uid_validity) return {};
  folder_.forget_all();
  flags_.clear();
  folder_.uid_validity = opened.status.uid_validity;
  return run_.store.save(run_.owner, run_.source.name, folder_);
}

Status FolderSync::take_changes(const imap::Opened& opened) {
  if (opened.resynced) {
    LADDER_CHECK(mark_gone(opened.vanished, true));
  } else if (!client_.knows_changes() || folder_.modseq == 0) {
    LADDER_CHECK(take_flags(0));
  } else if (opened.status.modseq != folder_.modseq) {
    LADDER_CHECK(take_flags(folder_.modseq));
  }
  LADDER_CHECK(find_gone(opened));
  return pass_on_flags();
}

Status FolderSync::take_flags(std::uint64_t changed_since) {
  return client_.fetch_flags(folder_.uid_next - 1, changed_since, [this](const imap::Fetched& fetched) -> Status {
    note_flags(fetched);
    return {};
  });
}

// The number of known and new messages must be the number that the server reports; otherwise some are gone, and only a complete
// list tells which. A list with fewer messages than reported is not complete, unless some were deleted in between.
Status FolderSync::find_gone(imap::Opened opened) {
  if (opened.status.messages == folder_.live() + new_.size()) return {};
  for (int tries = 0; tries < kListTries; ++tries) {
    LADDER_TRY(const imap::UidSet all, client_.search_all());
    if (all.count() >= opened.status.messages) return mark_gone(all, false);
    LADDER_TRY(opened, client_.examine(folder_.wire_name, nullptr, {}));
  }
  return fail(Code::kRsProtocol, format("the mail server did not list all {} messages of the folder {}; nothing was removed",
                                        opened.status.messages, visible_label(folder_.name)));
}

Status FolderSync::mark_gone(const imap::UidSet& uids, bool are_gone) {
  folder_.each([&](Entry& entry) { return !entry.gone && uids.contains(entry.uid) == are_gone && (entry.gone = true); });
  return {};
}

Status FolderSync::pass_on_flags() {
  std::vector<FlagChange> changes;
  const auto pass = [&]() -> Status {
    LADDER_CHECK(run_.sink.set_flags(changes));
    run_.report.changed_flags += std::ssize(changes);
    changes.clear();
    return {};
  };
  Status passed;
  folder_.each([&](Entry& entry) {
    const auto found = flags_.find(entry.uid);
    if (!passed || entry.gone || found == flags_.end() || found->second == entry.flags) return false;
    if (const std::string filing = filing_of(entry); !filing.empty()) changes.push_back({filing, found->second});
    entry.flags = found->second;
    if (changes.size() >= kFlagBatch) passed = pass();
    return true;
  });
  LADDER_CHECK(passed);
  return changes.empty() ? Status{} : pass();
}

Status FolderSync::list_new(const imap::Opened& opened) {
  const bool has_new = opened.status.uid_next == 0 || opened.status.uid_next > folder_.uid_next;
  if (!has_new || opened.status.messages == 0) return {};
  LADDER_CHECK(client_.fetch_sizes(folder_.uid_next, [&](const imap::Fetched& message) -> Status {
    // "9:*" also answers the last message if its number is lower.
    if (message.uid < folder_.uid_next) return {};
    if (new_.size() >= kMaxMessages) return fail(Code::kRsProtocol, "the mail server listed too many messages");
    new_.push_back({message.uid, message.size.value_or(0)});
    return {};
  }));
  std::ranges::sort(new_, {}, &Planned::uid);
  const auto repeated = std::ranges::unique(new_, {}, &Planned::uid);
  new_.erase(repeated.begin(), repeated.end());
  return {};
}

Status FolderSync::fetch_new() {
  for (std::size_t begin = 0; begin < new_.size();) {
    std::size_t end = begin;
    for (std::uint64_t bytes = 0; end < new_.size() && end - begin < kBatchMessages; ++end) {
      bytes += new_[end].size;
      if (end > begin && bytes > kBatchBytes) break;
    }
    LADDER_CHECK(fetch_batch(std::span(new_).subspan(begin, end - begin)));
    begin = end;
    if (run_.progress) run_.progress();
  }
  return {};
}

Status FolderSync::fetch_batch(std::span<const Planned> batch) {
  std::vector<imap::Uid> uids;
  for (const Planned& one : batch) {
    if (one.size <= imap::kMaxMessageBytes) uids.push_back(one.uid);
  }
  LADDER_CHECK(run_.staging.begin(folder_.name));
  std::vector<Entry> fetched;
  refused_.clear();
  empty_.clear();
  is_too_large_ = false;
  LADDER_CHECK(fetch_or_split(uids, fetched));
  if (is_too_large_ && batch.size() > 1) {  // the messages are larger than announced
    LADDER_CHECK(fetch_batch(batch.first(batch.size() / 2)));
    return fetch_batch(batch.subspan(batch.size() / 2));
  }
  // A server that refuses every message is at fault, and not the messages.
  if (uids.size() > 1 && refused_.size() == uids.size())
    return fail(Code::kRsProtocol, format("the mail server sends no message of the folder {}", visible_label(folder_.name)));
  for (const Planned& one : batch) {
    if (one.size > imap::kMaxMessageBytes)
      run_.sink.lose(folder_.name, one.uid,
                     format("the message has {} bytes; the limit is {}", one.size, imap::kMaxMessageBytes));
  }
  for (const imap::Uid uid : empty_) run_.sink.lose(folder_.name, uid, "the mail server has no content of the message");
  for (const imap::Uid uid : refused_) run_.sink.lose(folder_.name, uid, "the mail server refuses to send the message");
  run_.report.fetched_bytes += static_cast<std::int64_t>(run_.staging.bytes());
  // Messages that were deleted meanwhile are not answered; the others of the batch must be.
  LADDER_CHECK(import_batch(fetched));
  folder_.uid_next = batch.back().uid + 1;
  LADDER_CHECK(run_.store.save(run_.owner, run_.source.name, folder_));
  return run_.staging.clear();
}

// A message that the server cannot send is found by halving the batch.
Status FolderSync::fetch_or_split(std::span<const imap::Uid> uids, std::vector<Entry>& fetched) {
  if (uids.empty() || is_too_large_) return {};
  const imap::UidSet asked = imap::uid_set(uids);
  std::set<imap::Uid> without_content;
  LADDER_TRY(const bool was_sent, client_.fetch_messages(asked, [&](const imap::Fetched& message) -> Status {
    const bool is_known = std::ranges::find(fetched, message.uid, &Entry::uid) != fetched.end();
    if (!asked.contains(message.uid) || is_known) return {};
    if (!message.body) {
      without_content.insert(message.uid);
      return {};
    }
    is_too_large_ = is_too_large_ || run_.staging.bytes() + message.body->size() > 2 * kBatchBytes;
    if (is_too_large_ && run_.staging.messages() > 0) return {};
    fetched.push_back({message.uid, message.flags ? maildir_flags(*message.flags) : ""});
    return run_.staging.add(message);
  }));
  if (is_too_large_) return {};
  std::vector<imap::Uid> missing;
  for (const imap::Uid uid : uids) {
    if (std::ranges::find(fetched, uid, &Entry::uid) == fetched.end()) missing.push_back(uid);
  }
  if (was_sent) {
    std::erase_if(missing, [&](imap::Uid uid) { return !without_content.contains(uid); });  // the others were deleted meanwhile
    empty_.insert(empty_.end(), missing.begin(), missing.end());
    return {};
  }
  if (uids.size() == 1) {
    refused_.insert(refused_.end(), missing.begin(), missing.end());
    return {};
  }
  LADDER_CHECK(fetch_or_split(std::span(missing).first(missing.size() / 2), fetched));
  return fetch_or_split(std::span(missing).subspan(missing.size() / 2), fetched);
}

Status FolderSync::import_batch(const std::vector<Entry>& fetched) {
  if (fetched.empty()) return {};
  LADDER_CHECK(add_imported(run_, folder_, fetched));
  run_.report.fetched += std::ssize(fetched);
  return {};
}

Status add_imported(RunParts& run, FolderState& folder, std::vector<Entry> fetched) {
  LADDER_TRY(const std::vector<StoredItem> stored, run.sink.import(run.staging.root()));
  std::map<imap::Uid, const StoredItem*> by_uid;
  for (const StoredItem& item : stored) by_uid[item.uid] = &item;
  for (Entry& entry : fetched) {
    if (const auto found = by_uid.find(entry.uid); found != by_uid.end()) entry.records = found->second->records;
    folder.add(std::move(entry));
  }
  return {};
}

std::string filing_of(const Entry& entry) {
  const auto found = std::ranges::find(entry.records, "filings", &RecordKey::stream);
  return found == entry.records.end() ? std::string() : found->key;
}

}  // namespace ladder::sync

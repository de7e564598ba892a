#include "sync/removals.h"

#include "base/text/format.h"

#include <algorithm>
#include <set>
#include <string>

namespace ladder::sync {
namespace {

constexpr std::size_t kRemovalBatch = 1000;

struct Gone {
  std::set<RecordKey> records;  // of no item that is still at the source
  std::int64_t items = 0;       // that lose all of their records
  std::int64_t all_items = 0;   // of the source, with those
  bool any = false;
  bool lost_folder = false;  // some are of a folder that is not read any more
};

// Items with the same first record count once: one message in two folders.
Gone collect(std::vector<FolderState>& folders, bool counts_records) {
  std::set<RecordKey> live, live_items, gone_items;
  for (FolderState& folder : folders) {
    folder.each([&](const Entry& entry) {
      if (entry.gone || entry.records.empty()) return false;
      live.insert(entry.records.begin(), entry.records.end());
      live_items.insert(entry.records.front());
      return false;
    });
  }
  Gone gone;
  for (FolderState& folder : folders) {
    folder.each([&](const Entry& entry) {
      if (!entry.gone) return false;
      gone.any = true;
      bool has_live = entry.records.empty();
      for (const RecordKey& record : entry.records) {
        if (live.contains(record)) has_live = true;
        else gone.records.insert(record);
      }
      if (has_live) return false;
      gone_items.insert(entry.records.front());
      gone.lost_folder = gone.lost_folder || folder.uid_validity == 0;
      return false;
    });
  }
  gone.items = std::ssize(gone_items);
  gone.all_items = std::ssize(live_items) + gone.items;
  if (counts_records) {  // a file may lose most of its records and still be there
    gone.items = std::ssize(gone.records);
    gone.all_items = std::ssize(live) + gone.items;
  }
  return gone;
}

bool needs_confirmation(const Gone& gone, std::int64_t recently, bool is_shared) {
  return gone.items > 0 && (gone.lost_folder || is_shared || are_many(gone.items, gone.all_items, recently));
}

constexpr Instant kCountedTogether = 6 * 3600 * kSecond;  // removals within this time are one number

void drop_gone(FolderState& folder) {
  for (Chunk& chunk : folder.chunks) chunk.changed = std::erase_if(chunk.entries, &Entry::gone) > 0 || chunk.changed;
}

}  // namespace

bool are_many(std::int64_t gone, std::int64_t all, std::int64_t recently) {
  const std::int64_t removed = gone + recently;
  return removed > 1 && removed * 100 > (all + recently) * kConfirmedPercent;
}

std::int64_t removed_since(const SourceStatus& status, Instant begin) {
  std::int64_t removed = 0;
  for (const auto& [when, count] : status.removed) removed += when >= begin ? count : 0;
  return removed;
}

void count_removals(SourceStatus& status, const RunReport& report, bool was_confirmed, Instant now) {
  if (was_confirmed) status.removed.clear();
  std::erase_if(status.removed, [&](const auto& one) { return one.first < now - kRemovalsAddUp; });
  if (was_confirmed || report.removed == 0) return;
  if (status.removed.empty() || status.removed.back().first < now - kCountedTogether) status.removed.emplace_back(now, 0);
  status.removed.back().second += report.removed;
}

Status mark_lost_folders(RunParts& run, std::vector<FolderState>& folders, const std::vector<std::string>& chosen) {
  for (FolderState& folder : folders) {
    if (std::ranges::find(chosen, folder.wire_name) != chosen.end()) continue;
    LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
    folder.forget_all();
    folder.uid_validity = 0;
    LADDER_CHECK(run.store.save(run.owner, run.source.name, folder));
  }
  return {};
}

Status remove_gone(RunParts& run, std::vector<FolderState>& folders, std::int64_t confirmed, std::int64_t recently) {
  if (std::ranges::none_of(folders, [](const FolderState& folder) { return folder.gone > 0; })) return {};
  for (FolderState& folder : folders) LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
  const Gone gone = collect(folders, run.source.kind == Kind::kFolder);
  if (!gone.any) return {};
  if (!run.source.keep_deleted) {
    LADDER_TRY(const bool is_shared, run.sink.is_shared());
    if (gone.items > confirmed && needs_confirmation(gone, recently, is_shared)) {
      run.report.waiting_removals = gone.items;
      return {};
    }
    const std::vector<RecordKey> records(gone.records.begin(), gone.records.end());
    for (std::size_t at = 0; at < records.size(); at += kRemovalBatch)
      LADDER_CHECK(run.sink.remove(std::span(records).subspan(at, std::min(kRemovalBatch, records.size() - at))));
    run.report.removed = gone.items;
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

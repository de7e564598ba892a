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
};

// Items with the same first record count once: one message in two folders.
Gone collect(std::vector<FolderState>& folders) {
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
      if (!has_live) gone_items.insert(entry.records.front());
      return false;
    });
  }
  gone.items = std::ssize(gone_items);
  gone.all_items = std::ssize(live_items) + gone.items;
  return gone;
}

bool needs_confirmation(const Gone& gone) { return gone.items > 1 && gone.items * 100 > gone.all_items * kConfirmedPercent; }

void drop_gone(FolderState& folder) {
  for (Chunk& chunk : folder.chunks) chunk.changed = std::erase_if(chunk.entries, &Entry::gone) > 0 || chunk.changed;
}

}  // namespace

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

Status remove_gone(RunParts& run, std::vector<FolderState>& folders, std::int64_t confirmed) {
  if (std::ranges::none_of(folders, [](const FolderState& folder) { return folder.gone > 0; })) return {};
  for (FolderState& folder : folders) LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
  const Gone gone = collect(folders);
  if (!gone.any) return {};
  if (!run.source.keep_deleted) {
    if (gone.items > confirmed && needs_confirmation(gone)) {
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

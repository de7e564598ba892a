#include "sync/item_sync.h"

#include "base/text/format.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace ladder::sync {
namespace {

constexpr std::size_t kFlagBatch = 500;

struct Plan {
  std::vector<ListedItem> wanted;  // new or changed
  std::map<std::string, std::string, std::less<>> flags;
  std::set<std::string, std::less<>> gone;
};

Plan plan_of(FolderState& folder, const Listing& listing) {
  Plan plan;
  std::map<std::string, std::string, std::less<>> known;  // name → stamp
  folder.each([&](const Entry& entry) {
    if (!entry.gone) known.emplace(entry.name, entry.stamp);
    return false;
  });
  plan.gone.insert(listing.gone.begin(), listing.gone.end());
  std::set<std::string_view> listed;
  for (const ListedItem& item : listing.items) {
    if (!listed.insert(item.name).second) continue;
    const auto found = known.find(item.name);
    if (found == known.end() || found->second != item.stamp || plan.gone.contains(item.name)) plan.wanted.push_back(item);
    else plan.flags.emplace(item.name, item.flags);
  }
  for (const auto& [name, stamp] : known) {
    if (listing.is_complete && !listed.contains(name)) plan.gone.insert(name);
  }
  return plan;
}

Status pass_on_flags(RunParts& run, FolderState& folder, const Plan& plan) {
  std::vector<FlagChange> changes;
  folder.each([&](Entry& entry) {
    const auto found = plan.flags.find(entry.name);
    if (entry.gone || found == plan.flags.end() || found->second == entry.flags) return false;
    if (std::string filing = filing_of(entry); !filing.empty()) changes.push_back({std::move(filing), found->second});
    entry.flags = found->second;
    return true;
  });
  for (std::size_t at = 0; at < changes.size(); at += kFlagBatch)
    LADDER_CHECK(run.sink.set_flags(std::span(changes).subspan(at, std::min(kFlagBatch, changes.size() - at))));
  run.report.changed_flags += std::ssize(changes);
  return {};
}

void mark_gone(FolderState& folder, const std::set<std::string, std::less<>>& names) {
  if (names.empty()) return;
  folder.each([&](Entry& entry) { return names.contains(entry.name) && !std::exchange(entry.gone, true); });
}

Status fetch_batch(RunParts& run, FolderState& folder, std::span<const ListedItem> batch, const FetchItems& fetch,
                   const ItemFormat& format) {
  if (folder.uid_next > std::numeric_limits<imap::Uid>::max() - batch.size())
    return fail(Code::kResourceLimit, "the folder has had too many items");
  LADDER_CHECK(run.staging.begin(folder.name));
  std::vector<Entry> fetched;
  std::set<std::string, std::less<>> replaced;
  LADDER_CHECK(fetch(batch, [&](std::size_t index, std::optional<std::string_view> content) -> Status {
    const ListedItem& item = batch[index];
    if (!replaced.insert(item.name).second) return {};
    const imap::Uid uid = folder.uid_next + static_cast<imap::Uid>(index);
    fetched.push_back({uid, item.flags, {}, false, item.name, item.stamp});
    if (!content) return {};
    return run.staging.add_file(
        format.ending.empty() ? ladder::format("{}:2,{}", uid, item.flags) : ladder::format("{}{}", uid, format.ending),
        *content);
  }));
  run.report.fetched += std::ssize(fetched);
  run.report.fetched_bytes += static_cast<std::int64_t>(run.staging.bytes());
  mark_gone(folder, replaced);  // the records of the new version are found again by their keys
  if (run.staging.messages() == 0) {
    for (Entry& entry : fetched) folder.add(std::move(entry));
  } else {
    LADDER_CHECK(add_imported(run, folder, std::move(fetched)));
  }
  folder.uid_next += static_cast<imap::Uid>(batch.size());
  LADDER_CHECK(run.store.save(run.owner, run.source.name, folder));
  return run.staging.clear();
}

}  // namespace

Status sync_items(RunParts& run, FolderState& folder, const Listing& listing, const FetchItems& fetch, const ItemFormat& format) {
  LADDER_CHECK(run.store.load_entries(run.owner, run.source.name, folder));
  const Plan plan = plan_of(folder, listing);
  mark_gone(folder, plan.gone);
  LADDER_CHECK(pass_on_flags(run, folder, plan));
  for (std::size_t at = 0; at < plan.wanted.size(); at += format.batch_items) {
    const std::size_t count = std::min(format.batch_items, plan.wanted.size() - at);
    LADDER_CHECK(fetch_batch(run, folder, std::span(plan.wanted).subspan(at, count), fetch, format));
    if (run.progress) run.progress();
  }
  return {};
}

}  // namespace ladder::sync

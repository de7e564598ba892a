// Removes the records of messages that are gone from the source. A record stays as long as any message of the source became it.
#pragma once

#include "sync/folder_sync.h"

#include <string>
#include <vector>

namespace ladder::sync {

// More than this share of the messages is only removed after a confirmation, since a server that shows an empty account is more
// likely at fault than its owner. A single message never needs one.
inline constexpr std::int64_t kConfirmedPercent = 20;

// Marks the items of folders that the source no longer has, or that are no longer synced. `chosen` has their wire names.
Status mark_lost_folders(RunParts& run, std::vector<FolderState>& folders, const std::vector<std::string>& chosen);

// Reports whether a removal of this size needs a confirmation, after the recent ones without any.
bool are_many(std::int64_t gone, std::int64_t all, std::int64_t recently);

// Removals of a week add up, so that an account cannot be emptied in small steps. A confirmation starts the sum again.
inline constexpr Instant kRemovalsAddUp = 7 * 24 * 3600 * kSecond;
std::int64_t removed_since(const SourceStatus& status, Instant begin);
void count_removals(SourceStatus& status, const RunReport& report, bool was_confirmed, Instant now);

// `recently` is the number that earlier runs removed without asking.
Status remove_gone(RunParts& run, std::vector<FolderState>& folders, std::int64_t confirmed, std::int64_t recently);

}  // namespace ladder::sync

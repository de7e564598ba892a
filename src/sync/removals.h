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

Status remove_gone(RunParts& run, std::vector<FolderState>& folders, std::int64_t confirmed);

}  // namespace ladder::sync

// Finds what Ladder does by itself and failed: synced sources and backups.
#pragma once

#include "app/backup/backup_plan.h"
#include "notify/notice.h"
#include "server/access/access.h"
#include "sync/sync_store.h"

#include <vector>

namespace ladder::app {

// Returns a message for every source that stopped syncing. Each outage has its own key, which changes with the next success.
Result<std::vector<notify::Notice>> failed_syncs(sync::SyncStore& store, const server::Access& owner);
Result<std::vector<notify::Notice>> failed_backups(BackupPlans& plans, const server::Access& owner);

}  // namespace ladder::app

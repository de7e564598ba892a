// Backs up a store as chunks of bytes, and restores it. The backup is a consistent snapshot, taken while other
// processes read and write. Unchanged data produces equal chunks from one backup to the next, so content-addressed
// storage keeps them once.
//
// A backup ignores grants: like open_store, these functions are for the administrator of the machine.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/backup_parts.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::store {

// kNotSetUp when there is no current store; kStoreUnavailable.
Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take);

// The last completed backup, as recorded in the store.
struct BackupNote {
  Instant made_at = 0;  // time of the snapshot
  std::string target;   // the folder as the user named it
  std::int64_t bytes = 0;
  bool encrypted = false;

  friend bool operator==(const BackupNote&, const BackupNote&) = default;
};
Status record_backup(const std::string& location, const BackupNote& note);
Result<std::optional<BackupNote>> last_backup(Store& store);  // nullopt: no backup recorded

// Restores a backup to a new store, with the schema it had, completely or not at all. Ends every grant, token, session
// and request in it, so that access revoked after the backup stays revoked. kConflict when a store exists already;
// kInvalidRequest when the backup is from the other engine or has a newer schema; kDamagedData.
Status restore(const std::string& location, const RestoreSource& from, Instant now);

}  // namespace ladder::store

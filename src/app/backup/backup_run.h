// Makes one backup of a store: `ladder backup` and the schedule of `ladder serve` share it. A backup ignores grants, so it is
// only for the administrator of the machine.
#pragma once

#include "app/backup/backup_snapshot.h"
#include "base/error/error.h"
#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ladder::app {

struct BackupJob {
  std::string location;  // of the store
  std::string folder;
  std::string key;       // empty: not encrypted
  std::string version;   // of this Ladder
  bool full = false;     // writes everything again
  std::size_t keep = 0;  // snapshots; 0: all
};

struct BackupReport {
  Snapshot snapshot;
  std::string name;  // of the snapshot
  std::int64_t bytes_written = 0, bytes_removed = 0;
  bool clock_was_behind = false;
  Status noted = {};   // the backup is complete, but the store does not show its time
  Status pruned = {};  // the backup is complete, but old ones could not be removed
};

// `did` is called with the bytes of each part; an error from it ends the backup, and nothing of it is kept.
Result<BackupReport> back_up(const BackupJob& job, Instant now, const std::function<Status(std::int64_t bytes)>& did);

// Lowers the priority of this thread, so that requests are served first. Threads that it creates inherit it.
void lower_priority();

}  // namespace ladder::app

// The owner's schedule for backups and the outcome of the last one, in the store. `ladder serve` follows the schedule
// (backup_service.h). Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "store/auth_store.h"

#include <cstdint>
#include <string>

namespace ladder::app {

struct BackupPlan {
  enum class Every : std::uint8_t { kNever, kDay, kWeek };
  Every every = Every::kNever;
  int weekday = 0;            // 0 is Sunday; for kWeek
  int hour = 3;               // local time
  std::string folder = {};    // on the computer that runs Ladder; empty: none chosen yet
  std::string key_file = {};  // empty: not encrypted
  std::int64_t keep = 10;     // snapshots; 0: all
  Instant changed_at = 0;
  std::int64_t version = 0;
};

struct BackupResult {
  Instant tried_at = 0, succeeded_at = 0;  // of backups by the server; 0: never
  Instant begun_at = 0;                    // of the backup that is under way; stays if its server is killed. 0: none
  std::int64_t failures = 0;               // since the last success
  std::string error_code, error;           // of the last failure
  bool wanted = false;                     // the owner asked for one now
  std::int64_t version = 0;
};

class BackupPlans {
 public:
  BackupPlans(store::Store& store, const Clock& clock);

  // Every operation returns kPermission for a client's Access.
  Result<BackupPlan> plan(const server::Access& owner);
  // kInvalidRequest if the folder or the key file is not an absolute path, or the hour or the number is out of range.
  Status set_plan(const server::Access& owner, BackupPlan plan);
  Result<BackupResult> result(const server::Access& owner);
  Status put_result(const server::Access& owner, BackupResult& result);  // kConflict if another process changed it
  // Stores the outcome of a backup, and keeps a request that arrived meanwhile.
  Status put_outcome(const server::Access& owner, BackupResult& result);
  Status request(const server::Access& owner);  // a backup as soon as possible

  Instant now() const { return clock_.now(); }

 private:
  store::AuthStore& items_;
  const Clock& clock_;
};

// Returns the first time after `after` at which the plan makes a backup, in local time; 0 for kNever. The hour that a change to
// summer time skips counts as the next one.
Instant next_backup(const BackupPlan& plan, Instant after);

std::string_view word_for(BackupPlan::Every every);  // "never", "day", "week"

}  // namespace ladder::app

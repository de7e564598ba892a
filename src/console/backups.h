// The backups of the whole store, as the settings show them. Implemented with the code of `ladder backup`.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct BackupSchedule {
  std::string every = "never";  // "never", "day", "week"
  int weekday = 0, hour = 3;    // 0 is Sunday; local time
  std::string folder, key_file;
  std::int64_t keep = 10;  // 0: all
};

struct BackupState {
  BackupSchedule schedule;
  Instant next_at = 0, tried_at = 0, succeeded_at = 0;  // 0: never
  std::int64_t failures = 0;                            // in a row
  std::string error, error_code;                        // of the last failure
  bool wanted = false, running = false;
  std::int64_t bytes_done = 0;     // of the running one
  std::vector<Instant> snapshots;  // in the folder, newest first
  bool same_disk = false;          // the folder is on the disk of the store
  std::optional<std::int64_t> free_bytes;
};

class Backups {
 public:
  virtual ~Backups() = default;
  // A backup contains the data of every owner, so only the owner who runs the server manages them. Every other call returns
  // kPermission for another one.
  virtual bool is_administrator(const server::Access& owner) const = 0;
  virtual Result<BackupState> state(const server::Access& owner) = 0;
  virtual Status save(const server::Access& owner, const BackupSchedule& schedule) = 0;  // kInvalidRequest
  virtual Status begin(const server::Access& owner) = 0;                   // in the background; kInvalidRequest without a folder
  virtual Result<std::int64_t> failures(const server::Access& owner) = 0;  // in a row
};

}  // namespace ladder::console

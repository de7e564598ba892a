// Backs up a store as chunks of bytes, and restores it. The backup is a consistent snapshot, taken while other
// processes read and write. Unchanged data produces equal chunks from one backup to the next, so content-addressed
// storage keeps them once.
//
//   SQLite      one part, the database file in blocks of kBackupBlockBytes
//   PostgreSQL  a part per table, its rows in COPY's binary format, split where the hash of a row says so
//
// A backup ignores grants: like open_store, these functions are for the administrator of the machine.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kBackupBlockBytes = 256 * 1024;

// Kinds of sign-in items that a restore keeps: owners' credentials, registered clients, used challenges and rate-limit
// counters. All others (sessions, links, requests, codes, refresh families) end.
inline constexpr std::string_view kKeptAuthKinds = "'credentials', 'passkey', 'client', 'challenge', 'attempts', 'rate'";

struct BackupInfo {
  std::string engine;       // "sqlite" or "postgres"
  std::int64_t schema = 0;  // schema version of the store
};

// Called with the chunks in order, part by part; an error ends the backup.
using TakeChunk = std::function<Status(std::string_view part, std::string_view bytes)>;
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
class Store;
Status record_backup(const std::string& location, const BackupNote& note);
Result<std::optional<BackupNote>> last_backup(Store& store);  // nullopt: no backup recorded

struct RestoreSource {
  BackupInfo info;
  std::vector<std::string> parts;
  // Passes the chunks of a part to `use`, in order.
  using UseChunk = std::function<Status(std::string_view bytes)>;
  std::function<Status(std::string_view part, const UseChunk& use)> read;
};

// Restores a backup to a new store, with the schema it had, completely or not at all. Ends every grant, token, session
// and request in it, so that access revoked after the backup stays revoked. kConflict when a store exists already;
// kInvalidRequest when the backup is from the other engine or has a newer schema; kDamagedData.
Status restore(const std::string& location, const RestoreSource& from, Instant now);

}  // namespace ladder::store

// The parts of a backup: the chunks of each part, as an engine writes and reads them.
//
//   SQLite      one part, the database file in blocks of kBackupBlockBytes
//   PostgreSQL  a part per table, its rows in COPY's binary format, split where the hash of a row says so
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kBackupBlockBytes = 256 * 1024;

// Kinds of items that a restore keeps:
//   - owners' credentials, registered clients, used challenges and rate-limit counters
//   - blocked apps, so that they cannot ask again
//   - synced sources with their state
//   - `erased`: the keys of deleted records, so that no import brings them back
//   - saved searches and how the sources are arranged
// All others end: sessions, links, requests, codes and refresh families give access. Backup schedules, notification channels and
// the model of Ask write or send something outside the store; two copies of a store would do it twice, and replace each other's
// backups. Dismissed tasks are shown again.
inline constexpr std::string_view kKeptAuthKinds =
    "'credentials', 'passkey', 'client', 'challenge', 'attempts', 'rate', 'blocked', 'sync_source', 'sync_state', 'sync_folder', "
    "'sync_entries', 'erased', 'saved_search', 'arrangement'";

struct BackupInfo {
  std::string engine;       // "sqlite" or "postgres"
  std::int64_t schema = 0;  // schema version of the store
};

// Called with the chunks in order, part by part; an error ends the backup.
using TakeChunk = std::function<Status(std::string_view part, std::string_view bytes)>;

struct RestoreSource {
  BackupInfo info;
  std::vector<std::string> parts;
  // Passes the chunks of a part to `use`, in order.
  using UseChunk = std::function<Status(std::string_view bytes)>;
  std::function<Status(std::string_view part, const UseChunk& use)> read;
};

}  // namespace ladder::store

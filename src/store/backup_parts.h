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

// Kinds of items that a restore keeps: owners' credentials, registered clients, used challenges, rate-limit counters, and synced
// sources with their state. All others (sessions, links, requests, codes, refresh families) end.
inline constexpr std::string_view kKeptAuthKinds =
    "'credentials', 'passkey', 'client', 'challenge', 'attempts', 'rate', 'sync_source', 'sync_state', 'sync_folder', "
    "'sync_entries'";

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

// The whole of a store as chunks of bytes, and back: a consistent state, taken while others read and write. Chunks of what has
// not changed are equal from one backup to the next, so that whoever keeps them by their content stores them once.
//
//   SQLite      one part, the database file in blocks of kBackupBlockBytes
//   PostgreSQL  a part per table, its rows in the binary format of COPY, cut where the hash of a row says so
//
// A backup knows no grants: these functions are for the person at the machine, as open_store is.
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

// Items of sign-in that stay when a store is restored: credentials of owners, registered clients, marks of used-up challenges and
// counts of attempts. All others (sessions, links, requests, codes, refresh families) end.
inline constexpr std::string_view kKeptAuthKinds = "'credentials', 'passkey', 'client', 'challenge', 'attempts', 'rate'";

struct BackupFacts {
  std::string engine;       // "sqlite" or "postgres"
  std::int64_t schema = 0;  // the store's
};

// Takes the chunks in order, part by part; an error ends the backup.
using TakeChunk = std::function<Status(std::string_view part, std::string_view bytes)>;
// kNotSetUp when there is no current store; kStoreUnavailable.
Result<BackupFacts> back_up(const std::string& location, const TakeChunk& take);

// The last backup that was finished, as the store remembers it.
struct BackupNote {
  Instant made_at = 0;  // the time of the state that it holds
  std::string target;   // the folder, as it was named
  std::int64_t bytes = 0;
  bool encrypted = false;

  friend bool operator==(const BackupNote&, const BackupNote&) = default;
};
class Store;
Status note_backup(const std::string& location, const BackupNote& note);
Result<std::optional<BackupNote>> last_backup(Store& store);  // nothing: none is noted in it

struct Restoration {
  BackupFacts facts;
  std::vector<std::string> parts;
  // Passes the chunks of a part to `use`, in order.
  using UseChunk = std::function<Status(std::string_view bytes)>;
  std::function<Status(std::string_view part, const UseChunk& use)> read;
};

// Makes the store of a backup where there is none, with the schema that it had, all of it or nothing, and ends every grant,
// token, session and request in it: what was revoked after the backup must not come back to life. kConflict when there is a store
// already; kInvalidRequest when the backup is of the other engine or of a newer schema; kDamagedData.
Status restore(const std::string& location, const Restoration& from, Instant now);

}  // namespace ladder::store

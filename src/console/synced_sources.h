// The accounts that Ladder reads by itself, as the console shows and manages them.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

enum class SyncKind : std::uint8_t { kMail, kMailFolder, kFolder, kCalendar, kContacts, kFeed, kProgram };

// The kinds that sign in with a password. The others are read from this computer or are public.
inline bool has_password(SyncKind kind) {
  return kind == SyncKind::kMail || kind == SyncKind::kCalendar || kind == SyncKind::kContacts;
}

struct SyncedSource {
  enum class State : std::uint8_t { kNew, kCurrent, kRunning, kFailing, kAsks, kPaused };
  State state = State::kNew;
  SyncKind kind = SyncKind::kMail;
  std::string name, account, connection;  // account: "ann at mail.example"
  std::int64_t messages = 0;
  std::int64_t added = 0;                              // by the last successful run
  Instant tried_at = 0, succeeded_at = 0, due_at = 0;  // 0: never
  std::int64_t failures = 0;                           // in a row
  std::string error, error_code;                       // of the last failure
  std::int64_t waiting_removals = 0;                   // messages whose removal the owner has to confirm
  std::int64_t every_seconds = 0;
  bool keep_deleted = false, uses_command = false;  // uses_command: a command prints the password
};

// The fields of the form for a new account, as the owner typed them. A folder or a program cannot be added in the console.
struct NewSync {
  SyncKind kind = SyncKind::kMail;
  std::string name, user, host, port, security, password;
  std::string address;  // of a calendar or contacts server or of a feed, instead of host, port and security
};

struct SyncFolder {
  std::string name;
  std::optional<std::int64_t> messages = {};
  bool is_synced = false;
};

struct SyncTest {
  std::vector<SyncFolder> folders;
  bool announces = false;  // the server announces new messages at once
};

struct SyncChoices {
  std::vector<std::string> folders;  // empty: all except junk, trash and virtual ones
  std::int64_t every_seconds = 0;
  bool keep_deleted = false;
};

// Every change needs the owner that this server syncs for; kPermission for another one. Thread-safe.
class SyncedSources {
 public:
  virtual ~SyncedSources() = default;
  virtual Result<std::vector<SyncedSource>> list(const server::Access& owner) = 0;
  virtual Result<SyncedSource> find(const server::Access& owner, std::string_view name) = 0;
  // Returns the name of the source that fills the connection, or an empty string.
  virtual Result<std::string> filling(const server::Access& owner, std::string_view connection_id) = 0;
  virtual bool may_add(const server::Access& owner) const = 0;
  // Signs in, and stores the account only if that works. It is paused until `choose` or `set_paused`. Returns its name.
  virtual Result<std::string> add(const server::Access& owner, const NewSync& wanted) = 0;
  virtual Result<SyncTest> test(const server::Access& owner, std::string_view name) = 0;  // signs in
  // Stores the choices and makes the account run.
  virtual Status choose(const server::Access& owner, std::string_view name, const SyncChoices& choices) = 0;
  virtual Status set_paused(const server::Access& owner, std::string_view name, bool paused) = 0;
  // Makes the account run within seconds. It may remove the records of up to `confirmed_removals` missing messages, but of no
  // more than are waiting for a decision now.
  virtual Status run_now(const server::Access& owner, std::string_view name, std::int64_t confirmed_removals) = 0;
  // Signs in with the new password, and stores it only if that works.
  virtual Status set_password(const server::Access& owner, std::string_view name, const std::string& password) = 0;
  virtual Status remove(const server::Access& owner, std::string_view name) = 0;  // the records stay
};

}  // namespace ladder::console

// A source that Ladder reads by itself, and the outcome of its runs, as the store keeps them.
#pragma once

#include "base/time/time.h"
#include "sync/imap/client.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::sync {

inline constexpr std::int64_t kDefaultEverySeconds = 15 * 60;

// Mail accounts, folders of mail, other folders, calendars, address books, feeds, and programs of the owner.
enum class Kind : std::uint8_t { kImap, kMaildir, kFolder, kCalDav, kCardDav, kFeed, kProgram };

enum class SecretKind : std::uint8_t { kValue, kCommand };  // kCommand: a command that prints it

struct Source {
  std::string name;
  Kind kind = Kind::kImap;
  std::string address;          // the path of a folder or of what a program reads, or the URL of a server; empty for IMAP
  std::string program;          // the path of a program
  bool net = false;             // the program may use the network
  bool allows_private = false;  // a feed may be in a private network or on this computer
  imap::Server server;
  std::string user;
  imap::Login login = imap::Login::kPassword;
  SecretKind secret_kind = SecretKind::kValue;
  std::string sealed_secret;         // opened by SyncStore::secret
  std::string connection;            // id of the connection that receives the records
  std::vector<std::string> folders;  // empty: all except junk, trash and virtual ones
  std::int64_t every_seconds = kDefaultEverySeconds;
  bool keep_deleted = false;  // records stay if the message is deleted at the source
  bool paused = false;
  Instant asked_at = 0;                 // the owner asked for a run; it is due if the last one began earlier
  std::int64_t confirmed_removals = 0;  // that the asked run may remove, although they are many
  Instant created_at = 0;
  std::int64_t version = 0;  // of the item in the store; 0: new
};

// The outcome of the runs so far. Times are 0 if there was none.
struct SourceStatus {
  Instant tried_at = 0, succeeded_at = 0, due_at = 0;
  std::int64_t failures = 0;  // since the last success
  std::string error_code, error;
  std::int64_t messages = 0;                                   // at the source, by the last run
  std::int64_t added = 0;                                      // by the last successful run
  std::int64_t waiting_removals = 0;                           // messages whose removal the owner has to confirm
  std::vector<std::pair<Instant, std::int64_t>> removed = {};  // when and how many were removed without asking
  std::string account;                                         // the report of everything imported so far, as JSON
  std::int64_t version = 0;
};

std::string to_body(const Source& source);
Source source_of(std::string_view name, std::string_view body);
std::string to_body(const SourceStatus& status);
SourceStatus status_of(std::string_view body);

// The owner asked for a run that has not begun.
inline bool is_asked(const Source& source, const SourceStatus& status) { return source.asked_at > status.tried_at; }

std::string_view word_for(Kind kind);  // "imap", "maildir"
std::optional<Kind> kind_of(std::string_view word);
std::string place_of(const Source& source);  // for people: "ann at mail.example", "/home/ann/Mail"
std::string connection_prefix(Kind kind);    // "mail-": of the connection's id
inline bool is_local(Kind kind) { return kind == Kind::kMaildir || kind == Kind::kFolder; }
inline bool has_secret(Kind kind) { return kind == Kind::kImap || kind == Kind::kCalDav || kind == Kind::kCardDav; }
// Feeds and programs have no folders to choose from.
inline bool has_folders(Kind kind) { return kind != Kind::kFeed && kind != Kind::kProgram; }
// How often a source of this kind is read if the owner does not say it. Feeds change rarely, and their servers ask for rare
// visits.
inline std::int64_t default_every_seconds(Kind kind) { return kind == Kind::kFeed ? 60 * 60 : kDefaultEverySeconds; }
std::string_view word_for(imap::Security security);  // "tls", "starttls", "plain"

// Returns the time to wait after a number of failures in a row: a minute, doubled up to an hour. After a rejected sign-in it is
// the interval of the source, doubled up to a day, since providers lock accounts after many of them.
std::int64_t wait_seconds(std::int64_t every_seconds, std::int64_t failures, bool is_rejected);

}  // namespace ladder::sync

#include "app/sync/sync_runner.h"

#include "app/sync/folder_import.h"
#include "app/sync/program_sync.h"
#include "app/sync/secret_command.h"
#include "app/sync/synced_records.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/dav_sync.h"
#include "sync/feed_sync.h"
#include "sync/folder_choice.h"
#include "sync/maildir.h"
#include "sync/removals.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

// Holds the lock of a source; the system releases it if the process is killed.
class SourceLock {
 public:
  static Result<SourceLock> take(const fs::path& folder, const std::string& name) {
    std::error_code error;
    fs::create_directories(folder, error);
    const fs::path path = folder / (name + ".lock");
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0)
      return fail(Code::kStoreUnavailable,
                  format("cannot write to '{}': {}", folder.string(), std::generic_category().message(errno)));
    SourceLock lock(file);
    struct flock whole = kWholeFile;
    if (::fcntl(file, F_OFD_SETLK, &whole) == 0) return lock;
    return fail(Code::kConflict, format("another process is syncing {} now; `ladder sync list` shows its progress", name));
  }
  // Does not take the lock, so that a look never makes a run fail.
  static bool is_taken(const fs::path& folder, std::string_view name) {
    const int file = ::open((folder / (std::string(name) + ".lock")).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    struct flock found = kWholeFile;
    const bool is_known = ::fcntl(file, F_OFD_GETLK, &found) == 0;
    ::close(file);
    return is_known && found.l_type != F_UNLCK;
  }
  SourceLock(SourceLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  SourceLock(const SourceLock&) = delete;
  SourceLock& operator=(const SourceLock&) = delete;
  SourceLock& operator=(SourceLock&&) = delete;
  ~SourceLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  static constexpr struct flock kWholeFile = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0, .l_pid = 0};
  explicit SourceLock(int file) : file_(file) {}
  int file_;
};

UnitAccount account_of(const sync::SourceStatus& status) {
  auto account = status.account.empty() ? Result<UnitAccount>(UnitAccount()) : read_account(status.account);
  return account ? *std::move(account) : UnitAccount();
}

// Returns the password or token itself, or the one that its command prints.
Result<std::string> run_if_command(const sync::Source& source, const std::string& secret, const std::stop_token& stop) {
  return source.secret_kind == sync::SecretKind::kCommand ? run_secret_command(secret, stop) : Result<std::string>(secret);
}

Result<SyncClient> open_client(const sync::Source& source, const std::string& secret, const std::stop_token& stop) {
  return sync::imap::Client::open(source.server, {source.user, secret, source.login}, stop);
}

sync::dav::Service service_of(sync::Kind kind) {
  return kind == sync::Kind::kCalDav ? sync::dav::Service::kCalendars : sync::dav::Service::kContacts;
}

Result<std::shared_ptr<sync::dav::Client>> open_dav(const sync::Source& source, const std::string& secret,
                                                    const std::stop_token& stop) {
  const bool is_token = source.login == sync::imap::Login::kToken;
  LADDER_TRY(auto client, sync::dav::Client::open({source.address, source.user, secret, is_token, source.server.ca_file},
                                                  service_of(source.kind), stop));
  return std::shared_ptr<sync::dav::Client>(std::move(client));
}

Result<SourceTest> test_dav(const sync::Source& source, const std::string& secret, const std::stop_token& stop) {
  LADDER_TRY(const auto client, open_dav(source, secret, stop));
  LADDER_TRY(const auto all, client->discover());
  LADDER_TRY(const auto chosen, sync::choose_collections(all.found, source.folders));
  SourceTest result;
  for (const sync::dav::Collection& collection : all.found) {
    const bool is_synced = std::ranges::find(chosen, collection.url, &sync::dav::Collection::url) != chosen.end();
    result.folders.push_back({collection.name, {}, is_synced});
  }
  return result;
}

Result<SourceTest> test_folder(const sync::Source& source) {
  std::error_code error;
  if (!fs::is_directory(source.address, error))
    return fail(Code::kNotFound, format("there is no folder '{}'", visible_label(source.address)), "--path");
  return SourceTest{{{source.address, {}, true}}, true};
}

Result<SourceTest> test_feed(const sync::Source& source, const std::stop_token& stop) {
  LADDER_CHECK(sync::fetch_feed(source, "", stop));
  return SourceTest{{{sync::place_of(source), {}, true}}, false};
}

Result<SourceTest> test_program(const sync::Source& source) {
  std::error_code error;
  if (!fs::is_regular_file(source.program, error) || access(source.program.c_str(), X_OK) != 0)
    return fail(Code::kInvalidRequest, format("'{}' is not a program that can be run", visible_label(source.program)), "--with");
  if (!fs::exists(source.address, error))
    return fail(Code::kNotFound, format("there is no '{}'", visible_label(source.address)), "--path");
  return SourceTest{{{source.program, {}, true}}, false};
}

Result<SourceTest> test_maildir(const sync::Source& source) {
  LADDER_TRY(const auto found, sync::find_maildirs(source.address, true));
  SourceTest result;
  result.announces = true;
  for (const sync::MaildirFolder& folder : found) {
    const bool is_synced = source.folders.empty() || std::ranges::find(source.folders, folder.name) != source.folders.end() ||
                           std::ranges::find(source.folders, folder.wire_name) != source.folders.end();
    result.folders.push_back({folder.name, folder.messages, is_synced});
  }
  return result;
}

// The format of the import that reads the items of a source.
std::string format_of(sync::Kind kind) {
  switch (kind) {
    case sync::Kind::kCalDav:
      return "calendar";
    case sync::Kind::kCardDav:
      return "contacts";
    case sync::Kind::kFeed:
      return "feed";
    default:
      return "mail";
  }
}

std::string place_name(const sync::Source& source) {
  return source.kind == sync::Kind::kImap   ? source.server.host
         : source.kind == sync::Kind::kFeed ? sync::place_of(source)
                                            : source.address;
}

}  // namespace

Result<std::string> SyncRunner::credential(const server::Access& owner, const sync::Source& source, const std::stop_token& stop) {
  LADDER_TRY(const std::string secret, store_.secret(owner, source));
  return run_if_command(source, secret, stop);
}

Result<SyncClient> SyncRunner::connect(const server::Access& owner, const sync::Source& source, const std::stop_token& stop) {
  LADDER_TRY(const std::string secret, credential(owner, source, stop));
  return open_client(source, secret, stop);
}

Result<SourceTest> SyncRunner::test(const server::Access& owner, const sync::Source& source,
                                    const std::optional<std::string>& secret, const std::stop_token& stop) {
  if (source.kind == sync::Kind::kMaildir) return test_maildir(source);
  if (source.kind == sync::Kind::kFolder) return test_folder(source);
  if (source.kind == sync::Kind::kFeed) return test_feed(source, stop);
  if (source.kind == sync::Kind::kProgram) return test_program(source);
  LADDER_TRY(const std::string used, secret ? run_if_command(source, *secret, stop) : credential(owner, source, stop));
  if (source.kind != sync::Kind::kImap) return test_dav(source, used, stop);
  LADDER_TRY(const SyncClient client, open_client(source, used, stop));
  LADDER_TRY(const auto all, client->list());
  LADDER_TRY(const auto chosen, sync::choose_folders(all, source.folders, client->is_gmail()));
  SourceTest result;
  result.announces = client->has("IDLE");
  client->log_out();
  for (const sync::imap::Mailbox& mailbox : all) {
    std::optional<std::int64_t> messages;
    if (mailbox.status) messages = static_cast<std::int64_t>(mailbox.status->messages);
    const bool is_synced = std::ranges::find(chosen, mailbox.wire_name, &sync::imap::Mailbox::wire_name) != chosen.end();
    result.folders.push_back({mailbox.name, messages, is_synced});
  }
  return result;
}

bool SyncRunner::is_running(const server::Access& owner, std::string_view name) const {
  return SourceLock::is_taken(folder_of(owner), name);
}

Status SyncRunner::remove(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(store_.remove(owner, name));
  std::error_code error;
  fs::remove_all(folder_of(owner) / name, error);
  if (!error) return {};
  return fail(Code::kStoreUnavailable, format("'{}' cannot be removed: {}", (folder_of(owner) / name).string(), error.message()));
}

// Owners may use the same names.
std::filesystem::path SyncRunner::folder_of(const server::Access& owner) const {
  return settings_.folder / std::to_string(owner.owner());
}

// A connection that the owner erased must not fill again, and its messages are not fetched a second time.
Result<bool> SyncRunner::has_records(const server::Access& owner, const sync::Source& source) {
  LADDER_TRY(const auto folders, store_.folders(owner, source.name));
  const bool has_records = std::ranges::any_of(folders, [](const sync::FolderState& folder) { return folder.chunk_count > 0; });
  if (!has_records) return false;
  const auto found = server_.sources().connection(owner, source.connection);
  if (found || found.error().code != Code::kConnectionNotFound)
    return found ? Result<bool>(true) : std::unexpected(found.error());
  return fail(Code::kConflict,
              format("the connection {} was erased; `ladder sync remove {}` stops syncing it, and adding it again "
                     "fetches everything",
                     source.connection, source.name));
}

Result<sync::ReadFolders> SyncRunner::folders_of(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                                 const std::stop_token& stop) {
  switch (source.kind) {
    case sync::Kind::kMaildir:
      return sync::maildir_folders(source.address);
    case sync::Kind::kCalDav:
    case sync::Kind::kCardDav: {
      LADDER_TRY(const std::string secret, credential(owner, source, stop));
      LADDER_TRY(auto dav, open_dav(source, secret, stop));
      return sync::dav_folders(std::move(dav), service_of(source.kind));
    }
    case sync::Kind::kFeed:
      return sync::feed_folder(stop);
    case sync::Kind::kFolder:
    case sync::Kind::kProgram:
    case sync::Kind::kImap:
      break;
  }
  if (!client) {
    LADDER_TRY(client, connect(owner, source, stop));
  }
  return sync::imap_folders(*client);
}

Result<sync::RunReport> SyncRunner::attempt(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                            const Options& options, const std::stop_token& stop, sync::SourceStatus& status) {
  const sync::RunOptions run_options{options.confirmed_removals, sync::removed_since(status, store_.now() - sync::kRemovalsAddUp),
                                     folder_of(owner) / source.name / "batch" / source.name, options.progress};
  if (source.kind == sync::Kind::kFolder)
    return import_synced_folder(server_, store_, owner, source, settings_.extractor, run_options, stop);
  LADDER_TRY(const bool is_filled, has_records(owner, source));
  const auto keep = [&](const UnitAccount& account) -> Status {
    status.account = to_json(account);
    return store_.put_status(owner, source.name, status);
  };
  if (source.kind == sync::Kind::kProgram)
    return run_synced_program(server_, store_, owner, source, {settings_.extractor, is_filled, account_of(status), keep},
                              run_options, stop);
  LADDER_TRY(const sync::ReadFolders read, folders_of(owner, source, client, stop));
  SyncedRecords records(
      server_, owner,
      {source.connection, source.name, format_of(source.kind), place_name(source), settings_.extractor, false, is_filled},
      account_of(status), keep, stop);
  return sync::run_source(source, store_, owner, read, records, run_options);
}

Result<sync::RunReport> SyncRunner::run(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                        const Options& options, const std::stop_token& stop) {
  LADDER_TRY(const SourceLock lock, SourceLock::take(folder_of(owner), source.name));
  LADDER_TRY(sync::SourceStatus status, store_.status(owner, source.name));
  Options allowed = options;
  if (sync::is_asked(source, status))
    allowed.confirmed_removals = std::max(allowed.confirmed_removals, source.confirmed_removals);
  status.tried_at = store_.now();
  auto report = attempt(owner, source, client, allowed, stop, status);
  const Instant now = store_.now();
  if (report) {
    status.succeeded_at = now;
    status.failures = 0;
    status.error.clear();
    status.error_code.clear();
    status.messages = report->messages;
    status.added = report->fetched;
    status.waiting_removals = report->waiting_removals;
    sync::count_removals(status, *report, allowed.confirmed_removals > 0, now);
    status.due_at = now + source.every_seconds * kSecond;
  } else {
    client.reset();
    if (report.error().code == Code::kCancelled) return report;
    ++status.failures;
    status.error = report.error().message;
    status.error_code = report.error().wire();
    // The server of a feed is not asked more often because it fails.
    const bool is_rejected = report.error().code == Code::kAuthentication || source.kind == sync::Kind::kFeed;
    status.due_at = now + sync::wait_seconds(source.every_seconds, status.failures, is_rejected) * kSecond;
  }
  if (const Status kept = store_.put_status(owner, source.name, status); !kept && report) return std::unexpected(kept.error());
  return report;
}

}  // namespace ladder::app

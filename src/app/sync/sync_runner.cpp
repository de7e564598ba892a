#include "app/sync/sync_runner.h"

#include "app/sync/secret_command.h"
#include "app/sync/synced_records.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "sync/folder_choice.h"

#include <fcntl.h>
#include <sys/file.h>
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
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
    return fail(Code::kConflict, format("another process is syncing {} now; `ladder sync list` shows its progress", name));
  }
  SourceLock(SourceLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  SourceLock(const SourceLock&) = delete;
  SourceLock& operator=(const SourceLock&) = delete;
  SourceLock& operator=(SourceLock&&) = delete;
  ~SourceLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  explicit SourceLock(int file) : file_(file) {}
  int file_;
};

UnitAccount account_of(const sync::SourceStatus& status) {
  auto account = status.account.empty() ? Result<UnitAccount>(UnitAccount()) : read_account(status.account);
  return account ? *std::move(account) : UnitAccount();
}

Result<SyncClient> open_client(const sync::Source& source, std::string secret, const std::stop_token& stop) {
  if (source.secret_kind == sync::SecretKind::kCommand) {
    LADDER_TRY(secret, run_secret_command(secret));
  }
  return sync::imap::Client::open(source.server, {source.user, secret, source.login}, stop);
}

}  // namespace

Result<SyncClient> SyncRunner::connect(const server::Access& owner, const sync::Source& source, const std::stop_token& stop) {
  LADDER_TRY(const std::string secret, store_.secret(owner, source));
  return open_client(source, secret, stop);
}

Result<SourceTest> SyncRunner::test(const server::Access& owner, const sync::Source& source,
                                    const std::optional<std::string>& secret, const std::stop_token& stop) {
  LADDER_TRY(const SyncClient client, secret ? open_client(source, *secret, stop) : connect(owner, source, stop));
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
  const auto lock = SourceLock::take(folder_of(owner), std::string(name));
  return !lock && lock.error().code == Code::kConflict;
}

// Owners may use the same names.
std::filesystem::path SyncRunner::folder_of(const server::Access& owner) const {
  return settings_.folder / std::to_string(owner.owner());
}

// A connection that the owner erased must not fill again, and its messages are not fetched a second time.
Status SyncRunner::check_connection(const server::Access& owner, const sync::Source& source) {
  LADDER_TRY(const auto folders, store_.folders(owner, source.name));
  const bool has_records = std::ranges::any_of(folders, [](const sync::FolderState& folder) { return folder.chunk_count > 0; });
  if (!has_records) return {};
  const auto found = server_.sources().connection(owner, source.connection);
  if (found || found.error().code != Code::kConnectionNotFound) return found ? Status{} : std::unexpected(found.error());
  return fail(Code::kConflict,
              format("the connection {} was erased; `ladder sync remove {}` stops syncing it, and adding it again "
                     "fetches everything",
                     source.connection, source.name));
}

Result<sync::RunReport> SyncRunner::attempt(const server::Access& owner, const sync::Source& source, SyncClient& client,
                                            const Options& options, const std::stop_token& stop, sync::SourceStatus& status) {
  LADDER_CHECK(check_connection(owner, source));
  if (!client) {
    LADDER_TRY(client, connect(owner, source, stop));
  }
  const auto keep = [&](const UnitAccount& account) -> Status {
    status.account = to_json(account);
    return store_.put_status(owner, source.name, status);
  };
  SyncedRecords records(server_, owner, {source.connection, source.name, source.server.host, settings_.extractor},
                        account_of(status), keep, stop);
  return sync::run_source(source, store_, owner, *client, records,
                          {options.confirmed_removals, folder_of(owner) / source.name / "batch" / source.name, options.progress});
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
    status.due_at = now + source.every_seconds * kSecond;
  } else {
    client.reset();
    if (report.error().code == Code::kCancelled) return report;
    ++status.failures;
    status.error = report.error().message;
    status.error_code = report.error().wire();
    const bool is_rejected = report.error().code == Code::kAuthentication;
    status.due_at = now + sync::wait_seconds(source.every_seconds, status.failures, is_rejected) * kSecond;
  }
  if (const Status kept = store_.put_status(owner, source.name, status); !kept && report) return std::unexpected(kept.error());
  return report;
}

}  // namespace ladder::app

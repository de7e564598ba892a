// Backup by SQLite's online backup: one read transaction, so writers go on and the copy is one state. The copy is a nameless file
// beside the store, on a disk that the owner trusts with plaintext, from which the blocks are cut.
#include "store/sqlite/upkeep/backup.h"

#include "base/text/format.h"
#include "crypto/random.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

namespace ladder::store::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = "ladder.db";
constexpr int kPagesAtOnce = 16'384;
constexpr auto kBusyPause = std::chrono::milliseconds(20);

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// An empty database without a name: it goes when it is closed, also when the process is killed.
struct NamelessCopy {
  Database database;
  File file;
};

Result<NamelessCopy> make_nameless(const std::string& beside) {
  const std::string path = beside + ".backup-" + crypto::random_hex(8);
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, "unix");
  Database database(raw);
  File file(rc == SQLITE_OK ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1);
  const int error_number = errno;
  ::unlink(path.c_str());
  if (rc != SQLITE_OK) return std::unexpected(sqlite_error(raw, rc, "making a copy beside the store"));
  if (file.get() < 0) return std::unexpected(file_error(error_number, path, "making a copy beside the store"));
  const int settings = sqlite3_exec(raw, "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nullptr,
                                    nullptr, nullptr);
  if (settings != SQLITE_OK) return std::unexpected(sqlite_error(raw, settings, "making a copy beside the store"));
  return NamelessCopy{std::move(database), std::move(file)};
}

// The read transaction of `source` is open, so that every step sees the same state.
Status copy_pages(sqlite3* source, sqlite3* target) {
  sqlite3_backup* const backup = sqlite3_backup_init(target, "main", source, "main");
  if (backup == nullptr) return std::unexpected(sqlite_error(target, sqlite3_errcode(target), "beginning a backup"));
  int rc = SQLITE_OK;
  do {
    rc = sqlite3_backup_step(backup, kPagesAtOnce);
    if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) std::this_thread::sleep_for(kBusyPause);
  } while (rc == SQLITE_OK || rc == SQLITE_BUSY || rc == SQLITE_LOCKED);
  const int finished = sqlite3_backup_finish(backup);
  if (rc != SQLITE_DONE) return std::unexpected(sqlite_error(target, rc, "copying the store"));
  if (finished != SQLITE_OK) return std::unexpected(sqlite_error(target, finished, "copying the store"));
  return {};
}

Status cut_blocks(int file, const TakeChunk& take) {
  std::string block(kBackupBlockBytes, '\0');
  for (off_t at = 0;;) {
    std::size_t filled = 0;
    while (filled < block.size()) {
      const ssize_t count = ::pread(file, block.data() + filled, block.size() - filled, at + static_cast<off_t>(filled));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return std::unexpected(file_error(errno, "the copy of the store", "reading"));
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    if (filled == 0) return {};
    LADDER_CHECK(take(kPart, std::string_view(block).substr(0, filled)));
    at += static_cast<off_t>(filled);
  }
}

Status write_all(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(file_error(errno, path, "writing"));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

void remove_with_company(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

Status write_file(const std::string& path, const Restoration& from) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0) return std::unexpected(file_error(errno, path, "making"));
  LADDER_CHECK(from.read(kPart, [&](std::string_view bytes) { return write_all(file.get(), path, bytes); }));
  if (::fsync(file.get()) != 0) return std::unexpected(file_error(errno, path, "writing"));
  return {};
}

Status end_access(const std::string& path, Instant now) {
  LADDER_TRY(const std::unique_ptr<Connection> connection, Connection::open(path, Connection::Access::kWrite));
  LADDER_TRY(const std::int64_t version, schema_version(*connection));
  if (version == 0) return fail(Code::kDamagedData, "the backup holds no store");
  LADDER_CHECK(connection->execute("BEGIN IMMEDIATE"));
  for (const char* sql : {"UPDATE tokens SET revoked_at = ?1 WHERE revoked_at IS NULL",
                          "UPDATE grants SET revoked_at = ?1 WHERE revoked_at IS NULL"}) {
    LADDER_CHECK(connection->prepare(sql).integer(1, now).run());
  }
  LADDER_TRY(const std::int64_t has_sign_in,
             connection->read_integer("SELECT count(*) FROM sqlite_schema WHERE name = 'auth_items'"));
  if (has_sign_in != 0)
    LADDER_CHECK(connection->execute(format("DELETE FROM auth_items WHERE kind NOT IN ({})", kKeptAuthKinds).c_str()));
  LADDER_CHECK(connection->execute("COMMIT"));
  return connection->execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status refuse_existing(const std::string& path) {
  return fail(Code::kConflict, format("{} is there already: restore to another place with --db, or move it away", path), "db");
}

}  // namespace

Result<BackupFacts> back_up(const std::string& location, const TakeChunk& take) {
  if (::access(location.c_str(), F_OK) != 0)
    return fail(Code::kNotSetUp, format("there is no store at {}: run `ladder init` to make one", location));
  LADDER_TRY(const std::unique_ptr<Connection> source, Connection::open(location, Connection::Access::kRead));
  LADDER_TRY(const std::int64_t version, schema_version(*source));
  if (version != newest_schema()) return fail(Code::kNotSetUp, "the store is not set up for this version yet: run `ladder init`");
  LADDER_TRY(NamelessCopy copy, make_nameless(location));
  LADDER_CHECK(source->execute("BEGIN; SELECT count(*) FROM sqlite_schema"));
  LADDER_CHECK(copy_pages(source->handle(), copy.database.get()));
  source->roll_back();
  copy.database.reset();
  LADDER_CHECK(cut_blocks(copy.file.get(), take));
  return BackupFacts{"sqlite", version};
}

Status restore(const std::string& location, const Restoration& from, Instant now) {
  const fs::path folder = fs::path(location).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return std::unexpected(file_error(error.value(), folder.native(), "making the folder"));
  if (::access(location.c_str(), F_OK) == 0 || ::access((location + "-wal").c_str(), F_OK) == 0) return refuse_existing(location);
  const std::string draft = location + ".restoring";
  remove_with_company(draft);  // of one that was killed
  Status done = write_file(draft, from);
  if (done) done = end_access(draft, now);
  if (done && ::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, location.c_str(), RENAME_NOREPLACE) != 0) {
    done = errno == EEXIST ? refuse_existing(location) : std::unexpected(file_error(errno, location, "renaming"));
  }
  remove_with_company(draft);
  if (!done) return done;
  const File synced(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (synced.get() >= 0) ::fsync(synced.get());
  return {};
}

}  // namespace ladder::store::sqlite

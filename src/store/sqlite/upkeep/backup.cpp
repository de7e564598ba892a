// A backup uses one read transaction: writers continue, all blocks are of one snapshot, and each is read once, directly
// from the store's files.
#include "store/sqlite/upkeep/backup.h"

#include "base/file_owner.h"
#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"
#include "store/sqlite/engine/vfs.h"
#include "store/sqlite/upkeep/page_snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace ladder::store::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = "ladder.db";

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

Status cut_blocks(PageSnapshot& snapshot, const TakeChunk& take) {
  constexpr auto kPagesAtOnce = static_cast<std::int64_t>(kBackupBlockBytes / kPageBytes);
  std::string block;
  for (std::int64_t page = 0; page < snapshot.pages(); page += kPagesAtOnce) {
    LADDER_CHECK(snapshot.read(page, std::min(kPagesAtOnce, snapshot.pages() - page), block));
    LADDER_CHECK(take(kPart, block));
  }
  return {};
}

bool is_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == std::string_view::npos; }

Status write_all(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::unexpected(file_error(errno, path, "writing"));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

// Pages of zeros become holes. These are the pages that an erasure released to the file system.
Status write_pages(int file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t size = 0;
    const bool hole = is_zero(bytes.substr(0, kPageBytes));
    while (size < bytes.size() && is_zero(bytes.substr(size, kPageBytes)) == hole)
      size += std::min(kPageBytes, bytes.size() - size);
    if (hole && ::lseek(file, static_cast<off_t>(size), SEEK_CUR) < 0) return std::unexpected(file_error(errno, path, "writing"));
    if (!hole) LADDER_CHECK(write_all(file, path, bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
  return {};
}

void remove_database_files(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

Status write_file(const std::string& path, const RestoreSource& from) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0) return std::unexpected(file_error(errno, path, "making"));
  give_to_folder_owner(file.get(), path);
  LADDER_CHECK(from.read(kPart, [&](std::string_view bytes) { return write_pages(file.get(), path, bytes); }));
  // Includes a hole at the end in the file size.
  if (::ftruncate(file.get(), ::lseek(file.get(), 0, SEEK_CUR)) != 0) return std::unexpected(file_error(errno, path, "writing"));
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
  LADDER_CHECK(connection->execute(format("DELETE FROM auth_items WHERE kind NOT IN ({})", kKeptAuthKinds).c_str()));
  LADDER_CHECK(connection->execute("COMMIT"));
  return connection->execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Status refuse_existing(const std::string& path) {
  return fail(Code::kConflict, format("{} is there already: restore to another place with --db, or move it away", path), "db");
}

}  // namespace

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take) {
  if (::access(location.c_str(), F_OK) != 0)
    return fail(Code::kNotSetUp, format("there is no store at {}: run `ladder init` to create one", location));
  LADDER_TRY(const auto snapshot, PageSnapshot::open(location));
  LADDER_TRY(const std::int64_t version, schema_version(snapshot->connection()));
  if (version != newest_schema()) return fail(Code::kNotSetUp, "the store is not set up for this version yet: run `ladder init`");
  LADDER_CHECK(cut_blocks(*snapshot, take));
  return BackupInfo{"sqlite", version};
}

Status restore(const std::string& location, const RestoreSource& from, Instant now) {
  if (from.info.schema < kOldestSchema) return std::unexpected(unreleased_schema(from.info.schema));
  if (from.info.schema > newest_schema()) {
    return fail(Code::kInvalidRequest,
                format("the backup was made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", from.info.schema,
                       newest_schema()));
  }
  const fs::path folder = fs::path(location).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) return std::unexpected(file_error(error.value(), folder.native(), "making the folder"));
  if (::access(location.c_str(), F_OK) == 0 || ::access((location + "-wal").c_str(), F_OK) == 0) return refuse_existing(location);
  const std::string draft = location + ".restoring";
  remove_database_files(draft);  // left by a restore that was killed
  Status done = write_file(draft, from);
  if (done) done = end_access(draft, now);
  if (done && ::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, location.c_str(), RENAME_NOREPLACE) != 0) {
    done = errno == EEXIST ? refuse_existing(location) : std::unexpected(file_error(errno, location, "renaming"));
  }
  remove_database_files(draft);
  if (!done) return done;
  const File synced(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (synced.get() >= 0) ::fsync(synced.get());
  return {};
}

}  // namespace ladder::store::sqlite

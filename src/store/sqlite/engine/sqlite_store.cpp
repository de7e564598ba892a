// Opens a store: checks that the file exists, is a Ladder store and is current, and creates or migrates it on request.
#include "store/sqlite/engine/sqlite_store.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"
#include "store/sqlite/engine/word_tables.h"
#include "store/sqlite/engine/writer_queue.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace ladder::store::sqlite {
namespace {

namespace fs = std::filesystem;

// Errors while opening a store go to the local operator, so they may include the path.
std::unexpected<Error> at_path(const std::string& path, Error error) {
  error.message = path + ": " + error.message;
  return std::unexpected(std::move(error));
}

Result<std::vector<SealKeyRow>> load_seal_keys(Connection& connection) {
  std::vector<SealKeyRow> keys;
  Statement rows = connection.use(Sql::kSealKeys);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    const std::string_view number = rows.bytes_at(0);
    SealKeyRow key;
    std::from_chars(number.data(), number.data() + number.size(), key.id);
    key.secret = rows.string_at(1);
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return fail(Code::kStoreUnavailable, "the store has lost its keys: restore it from a backup");
  return keys;
}

// Controls a word index built by other rules than this program's. It can be read but not written.
enum class OtherWords : std::uint8_t { kAllowed, kRefused };

// Returns null if the file exists but is not current.
Result<std::unique_ptr<Store>> open_current(const std::string& path, OtherWords other_words) {
  LADDER_TRY(std::unique_ptr<Connection> connection, Connection::open(path, Connection::Access::kRead));
  LADDER_TRY(const std::int64_t version, schema_version(*connection));
  if (version < newest_schema()) return nullptr;
  if (other_words == OtherWords::kRefused) {
    LADDER_TRY(const bool current, words_are_current(*connection));
    if (!current) return nullptr;
  }
  LADDER_TRY(std::vector<SealKeyRow> keys, load_seal_keys(*connection));
  auto store = std::make_unique<SqliteStore>(path, std::move(keys));
  store->readers().put_back(std::move(connection));
  return store;
}

Result<std::unique_ptr<Store>> open_existing(const std::string& path) {
  LADDER_TRY(std::unique_ptr<Store> store, open_current(path, OtherWords::kAllowed));
  if (store) return store;
  LADDER_TRY(const std::unique_ptr<Connection> connection, Connection::open(path, Connection::Access::kRead));
  LADDER_TRY(const std::int64_t version, schema_version(*connection));
  return fail(Code::kNotSetUp, version == 0
                                   ? "the file has no store yet: run `ladder init` to create one"
                                   : format("the store has schema {}, this Ladder needs {}: run `ladder init` to migrate it",
                                            version, newest_schema()));
}

Status make_folder(const fs::path& folder) {
  if (folder.empty() || ::access(folder.c_str(), F_OK) == 0) return {};
  LADDER_CHECK(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return std::unexpected(file_error(errno, folder.native(), "making the folder"));
  }
  return {};
}

// Makes a new file's name survive a power failure.
void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

Status create_or_migrate(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  LADDER_CHECK(make_folder(folder));
  WriterQueue writer_queue(path);
  // Two concurrent migrations would run the same steps, so the lock files are required here.
  LADDER_TRY(const WriterQueue::Pass pass, writer_queue.enter(Deadline::after(std::chrono::milliseconds(limits::kWriterQueueMs)),
                                                              WriterQueue::Priority::kNormal, WriterQueue::Files::kRequired));
  LADDER_TRY(const std::unique_ptr<Connection> connection,
             Connection::open(path, Connection::Access::kCreate, writer_queue.writer_file()));
  LADDER_CHECK(migrate(*connection, migrations()));
  LADDER_CHECK(empty_stale_words(*connection));
  sync_folder(folder);
  return {};
}

Result<std::unique_ptr<Store>> open_or_create(const std::string& path, bool exists) {
  if (exists) {
    LADDER_TRY(std::unique_ptr<Store> store, open_current(path, OtherWords::kRefused));
    if (store) return store;
  }
  LADDER_CHECK(create_or_migrate(path));
  return open_existing(path);
}

// Resolves the path to one canonical name, so that all processes use the same lock files.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : canonical.native();
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& location, OpenMode mode) {
  raise_page_cache_bound(kPageCacheBytes);
  const std::string path = resolved(location);
  struct stat about{};
  const bool exists = ::stat(path.c_str(), &about) == 0;
  if (!exists && errno != ENOENT && errno != ENOTDIR) return at_path(path, file_error(errno, path, "looking for"));
  if (exists && !S_ISREG(about.st_mode)) {
    return fail(Code::kStoreUnavailable, format("{} is not a file: give the path of the store's file", path));
  }
  if (!exists && mode == OpenMode::kExisting) {
    return fail(Code::kNotSetUp, format("there is no store at {}: run `ladder init` to create one", path));
  }
  auto store = mode == OpenMode::kExisting ? open_existing(path) : open_or_create(path, exists);
  if (!store) return at_path(path, std::move(store).error());
  return store;
}

Result<FoundStore> find_store(const std::string& location) {
  const std::string path = resolved(location);
  std::error_code error;
  if (!fs::exists(path, error)) return FoundStore{};
  auto connection = Connection::open(path, Connection::Access::kRead);
  if (!connection) return at_path(path, std::move(connection).error());
  auto version = schema_version(**connection);
  if (!version) return at_path(path, std::move(version).error());
  FoundStore found{.schema = *version, .current_words = true};
  LADDER_TRY(found.current_words, words_are_current(**connection));
  return found;
}

void close_idle_readers(Store& store) { static_cast<SqliteStore&>(store).readers().close_idle(); }

void drop_idle_reader_caches(Store& store) { static_cast<SqliteStore&>(store).readers().drop_idle_caches(); }

}  // namespace ladder::store::sqlite

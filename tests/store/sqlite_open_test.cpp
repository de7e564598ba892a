// Opening a SQLite store: what is created, what is refused with which message, and that refusals write nothing.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"
#include "support/noise.h"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>

namespace ladder::store::sqlite {
namespace {

namespace fs = std::filesystem;
using test_support::ScratchFolder;

unsigned mode_of(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 0777 : 0;
}

Error refusal(const std::string& path, OpenMode mode) {
  auto store = open_sqlite(path, mode);
  if (store) {
    ADD_FAILURE() << path << " was opened";
    return {};
  }
  return store.error();
}

// Runs in a child process as an ordinary user; returns what it writes to the pipe.
std::string as_ordinary_user(const std::function<std::string()>& body) {
  std::array<int, 2> pipe_ends{};
  if (::pipe(pipe_ends.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(2);
    const std::string said = body();
    const auto written = ::write(pipe_ends[1], said.data(), said.size());
    ::_exit(written == static_cast<ssize_t>(said.size()) ? 0 : 3);
  }
  ::close(pipe_ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t n; (n = ::read(pipe_ends[0], buffer.data(), buffer.size())) > 0;)
    said.append(buffer.data(), static_cast<std::size_t>(n));
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return said;
}

TEST(SqliteOpen, CreatesFilesAndFoldersForTheirOwnerOnly) {
  const ScratchFolder folder;
  const std::string path = folder / "a/b/store.db";
  const mode_t before = ::umask(0);
  {
    const auto store = must(open_sqlite(path, OpenMode::kCreate));
    must(store->add_owner("local", kNow));
    EXPECT_EQ(mode_of(path), 0600u);
    EXPECT_EQ(mode_of(path + "-wal"), 0600u);
    EXPECT_EQ(mode_of(path + "-shm"), 0600u);
    EXPECT_EQ(mode_of(path + "-queue"), 0600u);
    EXPECT_EQ(mode_of(path + "-writer"), 0600u);
    EXPECT_EQ(mode_of(folder / "a"), 0700u);
    EXPECT_EQ(mode_of(folder / "a/b"), 0700u);
  }
  ::umask(before);
}

TEST(SqliteOpen, PathsMayContainAnyCharacter) {
  const ScratchFolder folder;
  const std::string path = folder / "a b/50%?x=1#y&mode=ro é.db";
  must(must(open_sqlite(path, OpenMode::kCreate))->add_owner("local", kNow));
  EXPECT_TRUE(fs::exists(path));
  EXPECT_EQ(must(must(open_sqlite(path, OpenMode::kExisting))->owners()).size(), 1u);
}

TEST(SqliteOpen, SetsTheFileUpAsDesigned) {
  Scene scene;
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  const auto text = [&](const char* sql) {
    Statement row = connection->prepare(sql);
    must(row.step());
    return row.string_at(0);
  };
  EXPECT_EQ(text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(text("PRAGMA synchronous"), "2");
  EXPECT_EQ(text("PRAGMA secure_delete"), "1");
  EXPECT_EQ(text("PRAGMA page_size"), "4096");
  EXPECT_EQ(text("PRAGMA mmap_size"), "0");
  EXPECT_EQ(must(schema_version(*connection)), newest_schema());
  ASSERT_EQ(scene.store().seal_keys().size(), 1u);
  EXPECT_EQ(scene.store().seal_keys()[0].id, 1);
  EXPECT_EQ(scene.store().seal_keys()[0].secret.size(), 32u);
  const std::string secret = scene.store().seal_keys()[0].secret;
  scene.reopen();
  EXPECT_EQ(scene.store().seal_keys()[0].secret, secret);
}

TEST(SqliteOpen, OpeningACurrentStoreWritesNothing) {
  Scene scene;
  scene.put("a", R"({"title":"t"})");
  scene.close();
  const auto facts = [&] {
    std::string all;
    for (const std::string ending : {"", "-wal", "-queue", "-writer"}) {
      struct stat about{};
      const bool there = ::stat((scene.path() + ending).c_str(), &about) == 0;
      all += format("{} {} {} {}\n", ending, there, about.st_size, about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec);
    }
    return all + crypto::digest_text(crypto::sha256(file_bytes(scene.path())));
  };
  const std::string before = facts();
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const auto store = must(open_sqlite(scene.path(), mode));
    EXPECT_EQ(must(store->owners()).size(), 1u);
    EXPECT_EQ(file_bytes(scene.path() + "-wal").size(), 0u);
  }
  fs::remove(scene.path() + "-wal");  // an empty one: readers require it to exist
  EXPECT_EQ(facts(), before);
}

TEST(SqliteOpen, ReportsAMissingStore) {
  const ScratchFolder folder;
  const Error missing = refusal(folder / "none/store.db", OpenMode::kExisting);
  EXPECT_EQ(missing.code, Code::kNotSetUp);
  EXPECT_NE(missing.message.find("ladder init"), std::string::npos) << missing.message;
  EXPECT_FALSE(fs::exists(folder / "none"));

  std::ofstream(folder / "empty.db");
  const Error empty = refusal(folder / "empty.db", OpenMode::kExisting);
  EXPECT_EQ(empty.code, Code::kNotSetUp);
  EXPECT_NE(empty.message.find("ladder init"), std::string::npos) << empty.message;
  must(open_sqlite(folder / "empty.db", OpenMode::kCreate));

  EXPECT_EQ(refusal(folder.path(), OpenMode::kCreate).code, Code::kStoreUnavailable);
}

TEST(SqliteOpen, RefusesOtherFiles) {
  const ScratchFolder folder;
  const std::string text = folder / "letter.txt";
  std::ofstream(text) << std::string(5000, 'a');
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const Error error = refusal(text, mode);
    EXPECT_EQ(error.code, Code::kStoreUnavailable);
    EXPECT_NE(error.message.find("not a Ladder store"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
  }
  EXPECT_TRUE(file_bytes(text) == std::string(5000, 'a'));

  const std::string other = folder / "other.db";
  must(must(Connection::open(other, Connection::Access::kCreate))->execute("CREATE TABLE theirs(x)"));
  const std::string before = file_bytes(other);
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const Error error = refusal(other, mode);
    EXPECT_EQ(error.code, Code::kNotSetUp);
    EXPECT_NE(error.message.find("another program"), std::string::npos) << error.message;
  }
  EXPECT_TRUE(file_bytes(other) == before);
}

TEST(SqliteOpen, RefusesANewerStoreAtOnceAndWhileRunning) {
  Scene scene;
  const auto raw = must(Connection::open(scene.path(), Connection::Access::kWrite));
  must(raw->execute("CREATE TABLE news(x); UPDATE meta SET value = 99 WHERE key = 'schema_version'"));
  const std::string told = format("made by a newer Ladder (schema 99); this one knows {}: upgrade ladder", newest_schema());
  const Result<OwnerRow> late = scene.store().add_owner("other", kNow);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kStoreUnavailable);
  EXPECT_NE(late.error().message.find(told), std::string::npos) << late.error().message;
  EXPECT_TRUE(scene.store().owners()) << "reads go on";
  scene.close();
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const Error error = refusal(scene.path(), mode);
    EXPECT_EQ(error.code, Code::kNotSetUp);
    EXPECT_NE(error.message.find(told), std::string::npos) << error.message;
  }
}

// A process that has the file open would continue with a file that no other process sees: its acknowledged writes would
// be lost, and tokens revoked elsewhere would stay valid.
TEST(SqliteOpen, StopsServingAMovedOrReplacedFile) {
  Scene scene;
  const Scene restored;
  const std::string aside = scene.path() + ".aside";
  const auto expect_refused = [&](std::string_view why) {
    const auto written = scene.store().add_owner("late", kNow);
    ASSERT_FALSE(written) << "an acknowledged write would be lost";
    EXPECT_EQ(written.error().code, Code::kStoreUnavailable);
    EXPECT_NE(written.error().message.find(why), std::string::npos) << written.error().message;
    const Deadline soon = Deadline::after(std::chrono::seconds(5));
    auto read = scene.store().owners();
    while (read && !soon.passed()) read = scene.store().owners();
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kStoreUnavailable);
  };
  fs::rename(scene.path(), aside);
  expect_refused("moved away or removed");
  fs::copy_file(restored.path(), scene.path());
  expect_refused("replaced by another");
  fs::rename(aside, scene.path());
  EXPECT_TRUE(scene.store().add_owner("late", kNow)) << "it is its own file again";
  EXPECT_TRUE(scene.store().owners());
}

TEST(SqliteOpen, ReportsDamage) {
  Scene scene;
  for (int i = 0; i < 200; ++i) scene.put(format("k{}", i), format(R"({{"title":"{}"}})", std::string(500, 't')));
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(5))));
  scene.close();
  const std::string whole = file_bytes(scene.path());
  std::ofstream(scene.path(), std::ios::binary | std::ios::trunc) << whole.substr(0, whole.size() / 3);
  auto store = open_sqlite(scene.path(), OpenMode::kExisting);
  Code code = Code::kInternal;
  std::string message;
  if (!store) {
    code = store.error().code;
    message = store.error().message;
  } else {
    const auto faults = (*store)->check_invariants();
    code = faults ? (faults->empty() ? Code::kInternal : Code::kStoreUnavailable) : faults.error().code;
    message = faults ? "" : faults.error().message;
  }
  EXPECT_EQ(code, Code::kStoreUnavailable) << message;
}

TEST(SqliteOpen, ReportsAReadOnlyFolder) {
  const ScratchFolder folder;
  fs::permissions(folder.path(), fs::perms::all);  // so that the ordinary user can enter it
  const std::string path = folder / "shared/store.db";
  must(open_sqlite(path, OpenMode::kCreate));
  for (const auto& entry : fs::directory_iterator(folder / "shared"))
    fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(folder / "shared", fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const std::string made = as_ordinary_user([&] {
    auto store = open_sqlite(folder / "shared/new.db", OpenMode::kCreate);
    return store ? "made" : format("{} {}", store.error().wire(), store.error().message);
  });
  EXPECT_TRUE(made.starts_with("store_unavailable ")) << made;
  EXPECT_NE(made.find("read-only"), std::string::npos) << made;
  const std::string written = as_ordinary_user([&] {
    auto store = open_sqlite(path, OpenMode::kExisting);
    if (!store) return format("{} {}", store.error().wire(), store.error().message);
    auto added = (*store)->add_owner("local", kNow);
    return added ? "written" : format("{} {}", added.error().wire(), added.error().message);
  });
  EXPECT_TRUE(written.starts_with("store_unavailable ")) << written;
  EXPECT_NE(written.find("writ"), std::string::npos) << written;
}

TEST(SqliteOpen, AFullDiskLosesNothing) {
  Scene scene;
  scene.put("first", R"({"title":"kept"})");
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit tight = before;
  tight.rlim_cur = 600'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  int written = 0;
  Error error;
  for (; written < 100; ++written) {
    std::vector<RecordWrite> batch;
    batch.push_back(
        record_write(scene.store(), format("k{}", written), format(R"({{"title":"{}"}})", test_support::noise(60'000, 1))));
    const auto outcomes = scene.store().write(scene.target(), batch, kNow);
    if (!outcomes) {
      error = outcomes.error();
      break;
    }
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(error.code, Code::kStoreUnavailable);
  EXPECT_NE(error.message.find("full"), std::string::npos) << error.message << error.log_detail;
  EXPECT_GT(written, 1);
  EXPECT_EQ(must(must(scene.store().read(scene.owner().no))->counters(scene.target().stream)).records, written + 1);
  scene.expect_sound();
  EXPECT_EQ(scene.put("after", R"({"title":"goes on"})"), Outcome::kAdded);
  scene.expect_sound();
}

TEST(SqliteMigrations, ResumeAfterAnInterruption) {
  static bool broken;
  broken = true;
  const auto first = [](Connection& connection) { return connection.execute("CREATE TABLE one(x)"); };
  const auto second = [](Connection& connection) -> Status {
    LADDER_CHECK(connection.execute("CREATE TABLE two(x)"));
    if (broken) return fail(Code::kStoreUnavailable, "cut off");
    return {};
  };
  const std::array<Migration, 2> steps = {Migration{kOldestSchema, first}, Migration{kOldestSchema + 1, second}};
  const ScratchFolder folder;
  const auto connection = must(Connection::open(folder / "m.db", Connection::Access::kCreate));
  EXPECT_FALSE(migrate(*connection, steps));
  EXPECT_FALSE(connection->in_transaction());
  EXPECT_EQ(must(connection->read_integer("SELECT value FROM meta WHERE key = 'schema_version'")), kOldestSchema);
  EXPECT_EQ(must(connection->read_integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('one', 'two')")), 1);
  broken = false;
  must(migrate(*connection, steps));
  EXPECT_EQ(must(connection->read_integer("SELECT value FROM meta WHERE key = 'schema_version'")), kOldestSchema + 1);
}

// Each reader alone may cache 3.5 MB of pages; twenty readers must not cache twenty times as much.
TEST(SqliteOpen, ReadersShareOnePageCacheLimit) {
  const ScratchFolder folder;
  const std::string path = folder.path() / "ladder.db";
  must(open_sqlite(path, OpenMode::kCreate));
  {
    const auto writer = must(Connection::open(path, Connection::Access::kWrite));
    must(writer->execute(
        "CREATE TABLE noise(bytes BLOB); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)"
        " INSERT INTO noise SELECT randomblob(3000) FROM n"));
  }
  const std::int64_t before = sqlite3_memory_used();
  std::vector<std::unique_ptr<Connection>> readers;
  for (int i = 0; i < 20; ++i) {
    readers.push_back(must(Connection::open(path, Connection::Access::kRead)));
    must(readers.back()->execute("SELECT count(*) FROM noise WHERE substr(bytes, 3000) = x'00'"));
  }
  EXPECT_GT(sqlite3_memory_used() - before, 10'000'000);
  EXPECT_LT(sqlite3_memory_used(), kPageCacheBytes + 8'000'000);  // statements and the minimum per connection
}

}  // namespace
}  // namespace ladder::store::sqlite

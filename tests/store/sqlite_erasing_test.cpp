// Erasing much: the log stays short, space is returned in steps, and a process killed between two steps leaves a store
// that opens, is consistent and contains every acknowledged record.
#include "store/sqlite_scene.h"

#include "store/sqlite/upkeep/free_pages.h"
#include "support/noise.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <random>
#include <thread>

namespace ladder::store::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBodyBytes = 9'000;
constexpr std::int64_t kErasedAtOnce = 96;

std::int64_t disk_bytes(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_blocks * 512 : 0;
}

std::int64_t log_bytes(const std::string& path) {
  struct stat about{};
  return ::stat((path + "-wal").c_str(), &about) == 0 ? about.st_size : 0;
}

std::string key_of(int no) { return format("k{:05}", no); }

std::string data_of(int no) {
  return format(R"({{"title":"t{}","body":"{}"}})", no, test_support::noise(kBodyBytes, static_cast<std::uint64_t>(no)));
}

void fill(Scene& scene, int records) {
  for (int first = 0; first < records; first += 50) {
    std::vector<RecordWrite> batch;
    for (int no = first; no < std::min(first + 50, records); ++no)
      batch.push_back(record_write(scene.store(), key_of(no), data_of(no)));
    must(scene.store().write(scene.target("notes"), batch, kNow));
  }
  must(scene.store().sweep(kNow, Deadline::after(30s)));
}

// Erases as the server erases a connection: many records in a transaction that leaves no trace of them.
std::int64_t erase_some(Store& store, WriteTarget target, int first, int end) {
  target.permanent = true;
  target.in_bulk = true;
  std::vector<RecordWrite> batch;
  for (int no = first; no < end; ++no) batch.push_back(deletion(key_of(no)));
  return std::ssize(must(store.write(target, batch, kNow)));
}

void erase_all(Store& store, const WriteTarget& target, int first, int end) {
  while (first < end) first += static_cast<int>(erase_some(store, target, first, std::min<int>(end, first + kErasedAtOnce)));
}

std::string integrity(const std::string& path) {
  const auto connection = must(Connection::open(path, Connection::Access::kRead));
  Statement row = connection->prepare("PRAGMA integrity_check");
  return must(row.step()) ? std::string(row.bytes_at(0)) : "no answer";
}

// Records the largest size of the log.
class LogWatch {
 public:
  explicit LogWatch(std::string path)
      : path_(std::move(path)), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            largest_ = std::max(largest_.load(), log_bytes(path_));
            std::this_thread::sleep_for(1ms);
          }
        }) {}
  std::int64_t largest() const { return largest_; }

 private:
  const std::string path_;
  std::atomic<std::int64_t> largest_ = 0;
  std::jthread thread_;
};

// Every freed page is overwritten, and so goes through the log: without intermediate checkpoints the log grows as large
// as the erased data.
TEST(SqliteErasing, TheLogStaysShortAndTheFileBecomesSmaller) {
  constexpr int kRecords = 6'000, kErased = 5'400;
  constexpr std::int64_t kErasedBytes = std::int64_t{kErased} * static_cast<std::int64_t>(kBodyBytes);
  Scene scene;
  fill(scene, kRecords);
  const std::int64_t full = disk_bytes(scene.path());
  {
    const LogWatch log(scene.path());
    erase_all(scene.store(), scene.target("notes"), 0, kErased);
    while (!must(scene.store().sweep(kNow, Deadline::after(200ms))).complete) {
    }
    // A checkpoint begins at 10 MB, and each transaction until it has caught up may write a few megabytes.
    EXPECT_LT(log.largest(), kErasedBytes * 2 / 3) << "the log was brought into the database on the way";
    EXPECT_GT(log.largest(), 0);
  }
  EXPECT_EQ(log_bytes(scene.path()), 0) << "the sweep has cut it";
  EXPECT_GT(must(scene.store().compact()), kErasedBytes * 3 / 4);
  EXPECT_LT(disk_bytes(scene.path()), full / 3);
  EXPECT_LT(log_bytes(scene.path()), kErasedBytes / 8) << "giving pages back writes none";
  EXPECT_EQ(integrity(scene.path()), "ok");
  scene.expect_sound();
  EXPECT_EQ(must(must(scene.store().read())->counters(scene.target("notes").stream)).records, kRecords - kErased);
}

// A step ends at its deadline, and the next one continues from there.
TEST(SqliteErasing, ReturnsSpaceInSteps) {
  constexpr int kRecords = 600;
  Scene scene;
  fill(scene, kRecords);
  // Deletes every other record, so that the free pages are scattered.
  std::vector<RecordWrite> gone;
  for (int no = 0; no < kRecords; no += 2) gone.push_back(deletion(key_of(no)));
  must(scene.store().write(scene.target("notes"), gone, kNow));
  while (!must(scene.store().sweep(kNow, Deadline::after(200ms))).complete) {
  }
  scene.close();
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  must(connection->execute("PRAGMA wal_checkpoint(TRUNCATE); BEGIN IMMEDIATE"));
  const auto punch = [&](std::int64_t from, Deadline deadline) {
    return must(punch_free_pages(*connection, scene.path(), from, deadline));
  };
  const std::int64_t before = disk_bytes(scene.path());
  const std::int64_t first = punch(0, Deadline::after(0ms));
  EXPECT_GT(first, 0);
  EXPECT_LT(disk_bytes(scene.path()), before) << "every step gives something back, or a slow machine would never finish";
  EXPECT_GT(disk_bytes(scene.path()), before - before / 20);
  const std::int64_t pages = must(connection->read_integer("PRAGMA page_count"));
  EXPECT_EQ(punch(pages / 2, Deadline::never()), -1);
  const std::int64_t half = disk_bytes(scene.path());
  EXPECT_LT(half, before) << "the pages behind are given back";
  EXPECT_EQ(punch(first, Deadline::never()), -1);
  const std::int64_t all = disk_bytes(scene.path());
  EXPECT_LT(all, half - (before - half) / 4) << "and those that were left in front";
  connection->roll_back();
  EXPECT_EQ(integrity(scene.path()), "ok");
}

struct Erased {
  int erased = 0;   // records 0 up to this one
  int written = 0;  // new records
};

std::string new_key(int no) { return format("new{:05}", no); }

// Erases the first records and writes new ones until it is killed; reports each completed call to `out`.
[[noreturn]] void erase_until_killed(const std::string& path, const WriteTarget& target, Erased from, int end, int out) {
  const auto store = must(open_sqlite(path, OpenMode::kExisting));
  const auto tell = [out](Erased done) {
    if (::write(out, &done, sizeof done) != static_cast<ssize_t>(sizeof done)) ::_exit(1);
  };
  while (from.erased < end) {
    from.erased += static_cast<int>(erase_some(*store, target, from.erased, std::min<int>(end, from.erased + kErasedAtOnce)));
    tell(from);
    std::vector<RecordWrite> one;
    one.push_back(record_write(*store, new_key(from.written), data_of(from.written)));
    must(store->write(target, one, kNow));
    ++from.written;
    tell(from);
    must(store->sweep(kNow, Deadline::after(20ms)));
    tell(from);
  }
  while (!must(store->sweep(kNow, Deadline::after(20ms))).complete) tell(from);
  for (;;) {
    must(store->compact());
    tell(from);
  }
}

// Starts the process, kills it after `calls` calls and a part of the last call's duration, and returns its report.
Erased kill_one(const std::string& path, const WriteTarget& target, Erased from, int end, int calls, double part) {
  std::array<int, 2> told{};
  if (::pipe(told.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      erase_until_killed(path, target, from, end, told[1]);
    } catch (const std::exception& fault) {
      ADD_FAILURE() << fault.what();
      ::_exit(2);
    }
  }
  ::close(told[1]);
  const auto hear = [&] {
    Erased next;
    const bool heard = ::read(told[0], &next, sizeof next) == static_cast<ssize_t>(sizeof next);
    if (heard) from = next;
    return heard;
  };
  std::chrono::duration<double> last{};
  for (int call = 0; call < calls; ++call) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_TRUE(hear());
    last = std::chrono::steady_clock::now() - begun;
  }
  std::this_thread::sleep_for(last * part);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status);
  while (hear()) {
  }
  ::close(told[0]);
  return from;
}

TEST(SqliteErasing, AKillBetweenStepsKeepsEveryAcknowledgedRecord) {
  constexpr int kRecords = 2'000, kErased = 1'800;
  Scene scene;
  fill(scene, kRecords);
  const WriteTarget target = scene.target("notes");
  const std::int64_t full = disk_bytes(scene.path());
  std::mt19937 random(20261118);
  Erased done;
  int in_the_middle = 0;
  for (int round = 0; round < 12; ++round) {
    scene.close();
    const int before = done.erased;
    const int calls = 1 + static_cast<int>(random() % 5);
    done = kill_one(scene.path(), target, done, kErased, calls, static_cast<double>(random() % 100) / 100);
    in_the_middle += done.erased > before && done.erased < kErased ? 1 : 0;
    ASSERT_EQ(integrity(scene.path()), "ok") << "round " << round;
    scene.reopen();
    scene.expect_sound();
    const std::vector<StreamNo> streams = {target.stream};
    const auto reader = must(scene.store().read());
    const auto has = [&](const std::string& key) { return !must(reader->records({}, streams, key)).records.empty(); };
    for (int no = 0; no < done.erased; ++no) ASSERT_FALSE(has(key_of(no))) << no << ", whose erasure was acknowledged";
    for (int no = kErased; no < kRecords; no += 20) ASSERT_TRUE(has(key_of(no))) << no << ", which was not erased";
    for (int no = 0; no < done.written; ++no) ASSERT_TRUE(has(new_key(no))) << no << ", which was acknowledged";
    // Records beyond the acknowledgement may be gone, too: the process died before it could report them.
    while (done.erased < kErased && !has(key_of(done.erased))) ++done.erased;
    while (has(new_key(done.written))) ++done.written;
  }
  EXPECT_GT(in_the_middle, 2) << "some of them were killed while they erased";
  erase_all(scene.store(), target, done.erased, kErased);
  while (!must(scene.store().sweep(kNow, Deadline::after(200ms))).complete) {
  }
  must(scene.store().compact());
  EXPECT_LT(disk_bytes(scene.path()), full / 2);
  EXPECT_EQ(integrity(scene.path()), "ok");
  scene.expect_sound();
}

}  // namespace
}  // namespace ladder::store::sqlite

// The writer queue: one writer at a time, in order, within a process and across processes, and never waiting forever.
#include "store/sqlite_scene.h"

#include "base/suspension.h"
#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/engine/vfs.h"
#include "store/sqlite/engine/writer.h"
#include "store/sqlite/engine/writer_queue.h"
#include "support/noise.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <span>
#include <thread>

namespace ladder::store::sqlite {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using test_support::ScratchFolder;

Deadline soon() { return Deadline::after(60s); }  // generous for a busy machine

TEST(SqliteWriterQueue, LetsOneInAtATime) {
  const ScratchFolder folder;
  const std::string path = folder / "t.db";
  std::atomic<int> inside = 0;
  std::atomic<int> entered = 0;
  std::vector<std::thread> threads;
  WriterQueue shared(path);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      WriterQueue own(path);  // a separate queue object, as in another process
      WriterQueue& writer_queue = i % 2 ? own : shared;
      for (int round = 0; round < 50; ++round) {
        const WriterQueue::Pass pass =
            must(writer_queue.enter(soon(), WriterQueue::Priority::kNormal, WriterQueue::Files::kRequired));
        EXPECT_EQ(++inside, 1);
        ++entered;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(entered, 300);
}

TEST(SqliteWriterQueue, ABusyWriterDoesNotStarveASmallOne) {
  for (const bool same_process : {true, false}) {
    const ScratchFolder folder;
    WriterQueue busy(folder / "t.db");
    WriterQueue other(folder / "t.db");
    WriterQueue& small = same_process ? busy : other;
    std::atomic<bool> stop = false;
    std::atomic<int> turns = 0;  // turns of the busy writer
    std::thread importer([&] {
      while (!stop) {
        const WriterQueue::Pass pass = must(busy.enter(soon()));
        ++turns;
        std::this_thread::sleep_for(20ms);
      }
    });
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (turns == 0 && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
    // Counts turns, since a busy machine stretches times; takes the median of several waits, since this thread may be
    // delayed.
    std::array<int, 11> waited{};
    for (int& each : waited) {
      const int before = turns;
      must(small.enter(soon()));
      each = turns - before;
      std::this_thread::sleep_for(5ms);
    }
    stop = true;
    importer.join();
    std::ranges::sort(waited);
    EXPECT_LE(waited[waited.size() / 2], 3) << (same_process ? "one process" : "two processes");
  }
}

TEST(SqliteWriterQueue, ReportsUrgentWaitersToTheHolder) {
  const ScratchFolder folder;
  WriterQueue writer_queue(folder / "t.db");
  WriterQueue other(folder / "t.db");
  struct Case {
    WriterQueue* waits;
    WriterQueue::Priority priority;
    bool awaited;
  };
  for (const Case& each :
       {Case{&writer_queue, WriterQueue::Priority::kLow, false}, Case{&writer_queue, WriterQueue::Priority::kNormal, true},
        Case{&other, WriterQueue::Priority::kLow, true}}) {
    std::thread waiter;
    {
      const WriterQueue::Pass pass = must(writer_queue.enter(soon()));
      EXPECT_FALSE(writer_queue.has_waiters());
      waiter = std::thread([&] { must(each.waits->enter(soon(), each.priority)); });
      const auto until = std::chrono::steady_clock::now() + (each.awaited ? 60s : 100ms);
      bool awaited = false;
      while (!awaited && std::chrono::steady_clock::now() < until) awaited = writer_queue.has_waiters();
      EXPECT_EQ(awaited, each.awaited);
    }
    waiter.join();
  }
}

TEST(SqliteWriterQueue, GivesUpAtTheDeadlineAndWorksAgainAfterwards) {
  const ScratchFolder folder;
  WriterQueue waiting(folder / "t.db");
  WriterQueue holder(folder / "t.db");
  {
    const WriterQueue::Pass pass = must(holder.enter(soon()));
    for (int i = 0; i < 2; ++i) {
      const auto refused = waiting.enter(Deadline::after(50ms));
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
      EXPECT_NE(refused.error().message.find("another writer holds the store"), std::string::npos);
    }
    const auto second = holder.enter(Deadline::after(20ms));
    EXPECT_FALSE(second) << "nor does a thread of the same process";
  }
  must(waiting.enter(soon()));
  must(holder.enter(soon()));
}

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST(SqliteWriterQueue, AnAbandonedWaitLeavesNothing) {
  const ScratchFolder folder;
  WriterQueue waiting(folder / "t.db");
  WriterQueue holder(folder / "t.db");
  const WriterQueue::Pass pass = must(holder.enter(soon()));
  EXPECT_FALSE(waiting.enter(Deadline::after(5ms)));
  const auto files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(waiting.enter(Deadline::after(2ms)));
  EXPECT_EQ(entries("/proc/self/fd"), files);
  EXPECT_EQ(entries("/proc/self/task"), threads);
}

// A child process that does something and then stops itself; killed at the end.
class StoppedChild {
 public:
  template <class Do>
  explicit StoppedChild(Do what) : process_(::fork()) {
    if (process_ == 0) {
      what();
      ::kill(::getpid(), SIGSTOP);
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(process_, &status, WUNTRACED), process_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  ~StoppedChild() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

milliseconds time_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
}

TEST(SqliteWriters, SkipAProcessStoppedOutsideATransaction) {
  Scene scene;
  const std::vector<std::string> names = {"g1", "g2", "g3", "g4", "g5"};
  for (const std::string& name : names) {
    NewGrant grant;
    grant.grant_id = name;
    grant.client_id = "agent";
    grant.body = "{}";
    NewToken token;
    token.hash = crypto::sha256(name);
    must(scene.store().add_grants(scene.owner().no, std::span(&grant, 1), token));
  }
  const std::string path = scene.path();
  const StoppedChild child([&] {
    for (const char* file : {"-queue", "-writer"}) {
      const int fd = ::open((path + file).c_str(), O_RDWR);
      if (fd < 0 || ::flock(fd, LOCK_EX) != 0) ::_exit(1);
    }
  });
  // A write that waits for the stopped process takes a second every time; a busy machine is only sometimes late.
  constexpr auto kShort = 700ms;
  auto quickest = milliseconds::max();
  for (const std::string& name : names) {
    quickest = std::min(quickest, time_of([&] { must(scene.store().revoke_grant(scene.owner().no, name, kNow)); }));
  }
  EXPECT_LT(quickest, kShort) << "the end of a grant";
  EXPECT_EQ(scene.put("a", R"({"title":"a"})"), Outcome::kAdded);
  quickest = milliseconds::max();
  for (const char* key : {"b", "c", "d", "e", "f"}) {
    quickest = std::min(quickest, time_of([&] { scene.put(key, R"({"title":"b"})"); }));
  }
  EXPECT_LT(quickest, kShort) << "a writer that skipped it once does not wait again";
  scene.expect_sound();
}

TEST(SqliteWriters, ReportTheProcessStoppedInATransaction) {
  Scene scene;
  scene.put("a", R"({"title":"a"})");
  const std::string path = scene.path();
  EXPECT_EQ(held_too_long(path).message.find("kill"), std::string::npos);
  const StoppedChild child([&] {
    auto connection = Connection::open(path, Connection::Access::kWrite);
    if (!connection || !(*connection)->execute("BEGIN IMMEDIATE")) ::_exit(1);
    static_cast<void>(connection->release());
  });
  EXPECT_NE(held_too_long(path).message.find(format("kill -CONT {}", child.process())), std::string::npos)
      << held_too_long(path).message;
}

// Ctrl-Z reaches an importer at any moment; it stops where it holds no lock.
TEST(SqliteWriters, AreSuspendedBetweenTransactions) {
  Scene scene;
  WriteTarget target = scene.target();
  target.in_bulk = true;
  const std::string path = scene.path();
  scene.close();
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = open_sqlite(path, OpenMode::kExisting);
    if (!store) ::_exit(1);
    std::thread suspender([] {
      for (;;) {
        std::this_thread::sleep_for(37ms);
        Suspension::of_process().suspend(20s, [] { ::kill(::getpid(), SIGSTOP); });  // however slow this machine is
      }
    });
    for (int i = 0;;) {
      std::vector<RecordWrite> batch;
      for (int k = 0; k < 5'000; ++k) {
        RecordWrite& record = batch.emplace_back();
        record.key = std::to_string(++i % 20'000);
        record.order_key = "\xF0" + record.key;
        record.body = format(R"({{"title":"{}"}})", i);
        record.digest = crypto::sha256(record.body);
      }
      for (std::span<RecordWrite> rest(batch); !rest.empty();) {
        const auto outcomes = (*store)->write(target, rest, kNow);
        if (!outcomes) ::_exit(1);
        rest = rest.subspan(outcomes->size());
      }
    }
  }
  scene.reopen();
  for (int round = 0; round < 8; ++round) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_LT(time_of([&] { scene.put("mine", format(R"({{"title":"{}"}})", round), "diary"); }), 15s)
        << "a held lock is given up after 30 s";
    ::kill(child, SIGCONT);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(SqliteWriterQueue, AKilledWriterReleasesTheQueue) {
  const ScratchFolder folder;
  WriterQueue writer_queue(folder / "t.db");
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    WriterQueue own(folder / "t.db");
    const auto pass = own.enter(soon());
    if (!pass || ::write(ends[1], "x", 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char x = 0;
  ASSERT_EQ(::read(ends[0], &x, 1), 1);
  EXPECT_FALSE(writer_queue.enter(Deadline::after(20ms)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(writer_queue.enter(soon()));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SqliteWriters, ManyProcessesShareOneStore) {
  Scene scene;
  const WriteTarget target = scene.target();
  scene.close();
  constexpr int kProcesses = 3;
  constexpr int kBatches = 40;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = open_sqlite(scene.path(), OpenMode::kExisting);
      bool ok = store.has_value();
      for (int i = 0; ok && i < kBatches; ++i) {
        std::vector<RecordWrite> batch;
        for (int k = 0; k < 20; ++k) {
          batch.push_back(
              record_write(**store, format("k{}", (p * 7 + i * 20 + k) % 500),
                           format(R"({{"title":"{} {}","body":"{}"}})", p, i, std::string(k == 3 ? 6'000 : 40, 'b'))));
        }
        ok = (*store)->write(target, batch, kNow).has_value();
        if (ok && i % 10 == 0) ok = (*store)->sweep(kNow, Deadline::after(1s)).has_value();
      }
      store = Result<std::unique_ptr<Store>>(nullptr);
      ::_exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  scene.reopen();
  scene.expect_sound();
  EXPECT_EQ(must(must(scene.store().read())->counters(target.stream)).records, 500);
}

TEST(SqliteWriters, BulkTransactionsEndEarlyForOthers) {
  Scene scene;
  WriteTarget target = scene.target();
  target.in_bulk = true;
  constexpr int kRecords = 20'000;
  std::vector<RecordWrite> batch;
  for (int i = 0; i < kRecords; ++i)
    batch.push_back(record_write(scene.store(), format("k{}", i), format(R"({{"title":"{}"}})", i)));
  std::atomic<bool> stop = false;
  std::thread others([&] {
    while (!stop) must(scene.store().reserve_values(10'000));
  });
  int calls = 0;
  for (std::span<RecordWrite> rest(batch); !rest.empty(); ++calls) {
    const auto outcomes = must(scene.store().write(target, rest, kNow));
    ASSERT_FALSE(outcomes.empty());
    EXPECT_EQ(std::ranges::count(outcomes, Outcome::kAdded), std::ssize(outcomes));
    rest = rest.subspan(outcomes.size());
  }
  stop = true;
  others.join();
  EXPECT_GT(calls, 1);
  EXPECT_EQ(must(must(scene.store().read())->counters(target.stream)).records, kRecords);
  const auto alone = must(scene.store().write(target, batch, kNow));
  EXPECT_EQ(std::ranges::count(alone, Outcome::kUnchanged), kRecords) << "alone it has time for all of them";
  scene.expect_sound();
}

TEST(SqliteWriters, RestartTheLogAfterALongRead) {
  Scene scene;
  const WriteTarget target = scene.target();
  int records = 0;
  const auto write_some = [&](int megabytes) {
    for (int i = 0; i < megabytes; ++i) {
      std::vector<RecordWrite> batch;
      for (int k = 0; k < 20; ++k) {
        batch.push_back(
            record_write(scene.store(), format("k{}", ++records), format(R"({{"body":"{}"}})", test_support::noise(50'000, 1))));
      }
      must(scene.store().write(target, batch, kNow));
    }
  };
  const auto log_bytes = [&] { return std::filesystem::file_size(scene.path() + "-wal"); };
  auto reader = must(scene.store().read());
  must(reader->counters(target.stream));
  write_some(30);
  EXPECT_GT(log_bytes(), 30'000'000u) << "the reader needs the older pages, so the log cannot start over";
  reader.reset();
  write_some(30);
  EXPECT_LT(log_bytes(), 50'000'000u) << "the log's pages are used again";
  scene.expect_sound();
}

// One entry per flush of the log: true if another process could have written meanwhile.
std::vector<bool>& entered_while_flushed() {
  static std::vector<bool> entered;
  return entered;
}
std::string& flushed_path() {
  static std::string path;
  return path;
}

void try_to_enter(VfsFile file) {
  if (file != VfsFile::kLog || flushed_path().empty()) return;
  WriterQueue other(flushed_path());
  entered_while_flushed().push_back(
      other.enter(Deadline::after(0ms), WriterQueue::Priority::kNormal, WriterQueue::Files::kRequired).has_value());
}

// The flush makes a commit long on a slow disk. Most writers hold their turn until their bytes are on the disk; an
// erasure, which writes the most bytes, does not.
TEST(SqliteWriter, AnErasureIsFlushedWhileOthersWrite) {
  constexpr const char* kLayer = "watches-flushes";
  ASSERT_TRUE(register_vfs(kLayer, must(vfs_name()), {.will_flush = try_to_enter}));
  use_vfs(kLayer);
  const ScratchFolder folder;
  const std::string path = folder / "t.db";
  must(open_sqlite(path, OpenMode::kCreate)).reset();
  Writer writer(path);
  const auto flushed = [&](WriteKind kind, int round) {
    WriteTransaction transaction = must(writer.begin(kind));
    EXPECT_TRUE(transaction->execute(format("INSERT INTO meta(key, value) VALUES('round-{}', 'x')", round).c_str()));
    entered_while_flushed().clear();
    flushed_path() = path;
    EXPECT_TRUE(transaction.commit_bulk());
    flushed_path().clear();
    return entered_while_flushed();
  };
  (void)flushed(WriteKind::kShort, 0);  // includes the log header, which has its own flush
  (void)flushed(WriteKind::kErasing, 1);
  EXPECT_EQ(flushed(WriteKind::kErasing, 2), std::vector<bool>{true});
  EXPECT_EQ(flushed(WriteKind::kShort, 3), std::vector<bool>{false});
  EXPECT_EQ(flushed(WriteKind::kErasing, 4), std::vector<bool>{true});
  use_vfs(nullptr);
}

}  // namespace
}  // namespace ladder::store::sqlite

// Ingest under failure: the store fails at any call, the input breaks off, the owner stops it. Acknowledged records are
// stored, and repeating the input completes the rest.
#include "store/testing/faulty_store.h"
#include "support/server_fixture.h"

#include <condition_variable>
#include <functional>
#include <mutex>

namespace ladder::test_support {
namespace {

using store::testing::FaultyStore;

// Records acknowledgements and stops when told to.
class Watcher final : public server::IngestObserver {
 public:
  void durable_through(std::int64_t line, const server::IngestReport& so_far) override {
    const std::scoped_lock lock(mutex_);
    EXPECT_GT(line, line_);
    line_ = line;
    attempted_ = so_far.attempted;
    changed_.notify_all();
  }
  bool wants_stop() override { return stop && stop(); }

  std::int64_t line() {
    const std::scoped_lock lock(mutex_);
    return line_;
  }
  std::int64_t attempted() {
    const std::scoped_lock lock(mutex_);
    return attempted_;
  }
  bool wait_for(std::int64_t line) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return line_ >= line; });
  }

  std::function<bool()> stop;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t line_ = 0, attempted_ = 0;
};

// Lines that use every store call of ingest: many short ones, some with chunks, a few staged.
std::vector<std::string> mixed_lines(int round) {
  std::vector<std::string> lines;
  for (int i = 0; i < 700; ++i) {
    const std::size_t length = i % 233 == 100 ? 700'000 : i % 50 == 7 ? 9'000 : 40;
    lines.push_back(
        record_line(format("r{}-{}", round, i), text_member("body", format("{} {} ", round, i) + std::string(length, 'x'))));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

class IngestFaultTest : public ServerFixture {
 protected:
  IngestFaultTest() : faulty_(store()), failing_(faulty_, clock()) {}

  FaultyStore& faulty() { return faulty_; }
  Result<server::IngestReport> ingest_through_faults(std::string_view input, Watcher& watcher) {
    TextSource bytes(input);
    server::LineSource lines(bytes, limits::kMaxLineBytes);
    return failing_.ingest().put_records(owner(), {"work", "notes"}, lines, watcher);
  }
  std::int64_t records() {
    for (const auto& stream : must(server().sources().connection(owner(), "work")).streams) {
      if (stream.stream == "notes") return stream.records;
    }
    return -1;
  }
  void expect_stored(const std::vector<std::string>& lines, int round, std::int64_t through) {
    for (std::int64_t i = 0; i < through; ++i) {
      const auto window = read(owner(), format("r{}-{}", round, i), "body", at_offset(0, 20));
      ASSERT_TRUE(window) << "line " << i + 1 << " was acknowledged: " << window.error().message;
      const std::string begins = format("{} {} ", round, i);
      ASSERT_EQ(window->text.substr(0, begins.size()), begins);
      ASSERT_NE(lines[static_cast<std::size_t>(i)].find(window->text), std::string::npos);
    }
  }
  void expect_sound() {
    for (const std::string& broken : must(store().check_invariants())) ADD_FAILURE() << broken;
  }

 private:
  FaultyStore faulty_;
  server::ResourceServer failing_;
};

TEST_P(IngestFaultTest, RetriesOneFailureOfAnyCall) {
  const auto measure = mixed_lines(0);
  Watcher quiet;
  const std::int64_t before = faulty().faults().calls();
  ASSERT_EQ(must(ingest_through_faults(joined(measure), quiet)).added, 700);
  const std::int64_t calls = faulty().faults().calls() - before;
  ASSERT_GT(calls, 100);

  int round = 0;
  for (std::int64_t at = 2; at <= calls; at += calls / 8) {
    const auto lines = mixed_lines(++round);
    Watcher watcher;
    faulty().faults().fail_call(at);
    const auto report = ingest_through_faults(joined(lines), watcher);
    faulty().faults().never_fail();
    if (!report) {  // before the first line: reading the catalog failed
      EXPECT_EQ(report.error().code, Code::kStoreUnavailable) << report.error().message;
      EXPECT_EQ(watcher.line(), 0);
      continue;
    }
    EXPECT_EQ(report->added + report->unchanged, 700) << at;
    EXPECT_EQ(watcher.line(), 700);
    EXPECT_EQ(watcher.attempted(), 700);
    expect_stored(lines, round, 700);
  }
  EXPECT_TRUE(faulty().faults().failed());
  expect_sound();
}

TEST_P(IngestFaultTest, AnUnavailableStoreLosesNothingAcknowledged) {
  int round = 0;
  for (const std::int64_t at : {1, 3, 4, 6, 40, 260, 420, 600}) {
    const auto lines = mixed_lines(++round);
    const std::string input = joined(lines);
    Watcher watcher;
    const std::int64_t last = faulty().faults().calls() + at;
    watcher.stop = [&] { return faulty().faults().calls() >= last; };  // ingest would wait a minute for PostgreSQL
    faulty().faults().fail_call(at, 1'000'000);
    const auto report = ingest_through_faults(input, watcher);
    faulty().faults().never_fail();
    ASSERT_FALSE(report) << at;
    const std::int64_t acknowledged = watcher.line();
    if (acknowledged > 0 || report.error().code == Code::kIngestStorage) {
      EXPECT_EQ(report.error().code, Code::kIngestStorage);
      EXPECT_NE(report.error().message.find(format("through line {}", acknowledged)), std::string::npos)
          << report.error().message;
      EXPECT_NE(report.error().message.find("sending the same input again is safe"), std::string::npos);
    }
    expect_stored(lines, round, acknowledged);

    const server::IngestReport again = ingest(input);
    EXPECT_EQ(again.accepted, 700);
    EXPECT_GE(again.unchanged, acknowledged);
    expect_stored(lines, round, 700);
    EXPECT_EQ(records(), 700 * round);
  }
  expect_sound();
}

TEST_P(IngestFaultTest, WaitsForAServerButNotForAFile) {
  Watcher watcher;
  ASSERT_TRUE(ingest_through_faults(record_line("warm", ""), watcher));
  faulty().faults().fail_call(3, 4);  // calls 1 and 2 read the owner's state and the catalog's version; the next one is repeated
  Watcher second;
  const auto report = ingest_through_faults(record_line("a", ""), second);
  if (GetParam() == "postgres") {
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->added, 1);
  } else {
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Code::kIngestStorage);
    EXPECT_EQ(second.line(), 0);
  }
}

// Supplies one line at a time, each after the previous one is acknowledged.
class Dialogue final : public server::ByteSource {
 public:
  Dialogue(std::vector<std::string> lines, Watcher& watcher) : lines_(std::move(lines)), watcher_(watcher) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    if (!watcher_.wait_for(next_)) return fail(Code::kDeadline, format("line {} was not acknowledged", next_));
    if (next_ == std::ssize(lines_)) return 0;
    const std::string& line = lines_[static_cast<std::size_t>(next_++)];
    EXPECT_LE(line.size(), capacity);
    std::memcpy(buffer, line.data(), line.size());
    return line.size();
  }

 private:
  std::vector<std::string> lines_;
  Watcher& watcher_;
  std::int64_t next_ = 0;
};

TEST_P(IngestFaultTest, ALineIsAcknowledgedWhileTheNextIsAwaited) {
  Watcher watcher;
  Dialogue bytes(
      {record_line("a", ""), record_line("b", ""), "{\n", record_line("c", text_member("body", std::string(5000, 'x')))},
      watcher);
  server::LineSource lines(bytes, limits::kMaxLineBytes);
  const auto report = server().ingest().put_records(owner(), {"work", "notes"}, lines, watcher);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->added, 3);
  EXPECT_EQ(report->rejected, 1);
}

TEST_P(IngestFaultTest, TheOwnerMayStopItBetweenBatches) {
  const auto lines = mixed_lines(1);
  Watcher watcher;
  watcher.stop = [&] { return watcher.line() > 0; };
  const server::IngestReport stopped = must(ingest_through_faults(joined(lines), watcher));
  EXPECT_EQ(stopped.attempted, watcher.line());
  EXPECT_GT(stopped.attempted, 0);
  EXPECT_LT(stopped.attempted, 700);
  EXPECT_EQ(records(), stopped.added);
  expect_stored(lines, 1, watcher.line());
  const server::IngestReport rest = ingest(joined(lines));
  EXPECT_EQ(rest.unchanged, stopped.added);
  EXPECT_EQ(rest.added, 700 - stopped.added);
}

// Fails after its text.
class Broken final : public server::ByteSource {
 public:
  explicit Broken(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    LADDER_TRY(const std::size_t count, text_.read(buffer, capacity));
    if (count == 0) return fail(Code::kInvalidRequest, "the disk with the input was pulled out");
    return count;
  }

 private:
  TextSource text_;
};

TEST_P(IngestFaultTest, ATruncatedInputKeepsEarlierRecords) {
  const std::string input = record_line("a", "") + "[]\n" + record_line("b", "") + "{\"key\":\"half";
  Broken bytes(input);
  server::LineSource lines(bytes, limits::kMaxLineBytes);
  Watcher watcher;
  const auto report = server().ingest().put_records(owner(), {"work", "notes"}, lines, watcher);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kInvalidRequest);
  EXPECT_TRUE(report.error().message.starts_with("the disk with the input was pulled out")) << report.error().message;
  EXPECT_NE(report.error().message.find("2 lines are stored and 1 rejected, through line 3"), std::string::npos)
      << report.error().message;
  EXPECT_EQ(watcher.line(), 3);
  EXPECT_EQ(records(), 2);
}

// Sweeps the store as of a minute later when first read: between a staging and its write.
class SweepingClock final : public Clock {
 public:
  SweepingClock(store::Store& store, int times) : store_(store), times_(times) {}
  Instant now() const override {
    const Instant now = Clock::system().now();
    if (times_-- > 0) {
      const auto swept = store_.sweep(now + 2 * limits::kStagingLeaseS * kSecond, Deadline::never());
      EXPECT_TRUE(swept);
      if (swept) removed_ += swept->values_removed;
    }
    return now;
  }
  std::int64_t removed() const { return removed_; }

 private:
  store::Store& store_;
  mutable int times_;
  mutable std::int64_t removed_ = 0;
};

TEST_P(IngestFaultTest, ValuesSweptTooEarlyAreStagedAgain) {
  const auto ingest_while_swept = [&](const std::string& key, int times, Watcher& watcher) {
    const std::string line = "{\"emitted_at\":\"2026-01-01T00:00:00Z\"," +
                             record_line(key, text_member("body", std::string(700'000, 'x') + "end")).substr(1);
    SweepingClock sweeping(store(), times);
    server::ResourceServer swept_server(store(), sweeping);
    TextSource bytes(line);
    server::LineSource lines(bytes, limits::kMaxLineBytes);
    auto report = swept_server.ingest().put_records(owner(), {"work", "notes"}, lines, watcher);
    EXPECT_EQ(sweeping.removed(), times);
    return report;
  };
  Watcher first, second;
  const auto repaired = ingest_while_swept("once", 1, first);
  ASSERT_TRUE(repaired) << repaired.error().message;
  EXPECT_EQ(repaired->added, 1);
  EXPECT_EQ(must(read(owner(), "once", "body", at_offset(700'000, 10))).text, "end");
  const auto lost = ingest_while_swept("twice", 2, second);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::kIngestStorage);
  EXPECT_EQ(second.line(), 0);
  EXPECT_EQ(read(owner(), "twice", "body").error().code, Code::kNotFound);
  expect_sound();
}

LADDER_FOR_EVERY_ENGINE(IngestFaultTest);

}  // namespace
}  // namespace ladder::test_support

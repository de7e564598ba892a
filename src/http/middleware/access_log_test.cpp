#include "http/middleware/access_log.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <thread>
#include <vector>

namespace ladder::http {
namespace {

TEST(AccessLog, WritesOneObjectPerLine) {
  const AccessEntry entry{.request_id = "req_1",
                          .method = "GET",
                          .route = "/v1/streams/{stream}",
                          .status = 200,
                          .bytes = 42,
                          .duration = std::chrono::microseconds(1234),
                          .remote = "127.0.0.1"};
  EXPECT_EQ(access_line(entry, 0),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"request_id\":\"req_1\",\"method\":\"GET\","
            "\"route\":\"/v1/streams/{stream}\",\"status\":200,\"bytes\":42,\"duration_ms\":1.234,\"remote\":\"127.0.0.1\"}\n");
}

TEST(AccessLog, LogsACallInARequest) {
  AccessEntry entry{.request_id = "r", .method = "POST", .route = "/mcp", .status = 200, .bytes = 1, .remote = "::1"};
  entry.call = "tools/call";
  entry.tool = "search";
  entry.call_id = "\"7\"";
  entry.outcome = "ok";
  const std::string line = access_line(entry, 0);
  EXPECT_TRUE(line.ends_with("\"call\":\"tools/call\",\"tool\":\"search\",\"call_id\":\"7\",\"outcome\":\"ok\"}\n")) << line;
}

TEST(AccessLog, LogsTheTraceOfTheCaller) {
  AccessEntry entry{.request_id = "r", .method = "GET", .route = "/healthz", .status = 200, .bytes = 1, .remote = "::1"};
  entry.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  EXPECT_TRUE(access_line(entry, 0).ends_with("\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\"}\n"));
}

TEST(AccessLog, FormatsForPeople) {
  AccessEntry entry{.request_id = "req_1",
                    .method = "POST",
                    .route = "/mcp",
                    .status = 200,
                    .bytes = 42,
                    .duration = std::chrono::microseconds(1234),
                    .remote = "127.0.0.1"};
  entry.client = "cla\nude";
  entry.call = "tools/call";
  entry.tool = "search";
  entry.outcome = "ok";
  EXPECT_EQ(access_entry(LogFormat::kText, entry, 0),
            "1970-01-01T00:00:00.000Z 200 1.2 ms POST /mcp tools/call search ok client=\"cla\\nude\" 127.0.0.1 req_1\n");
  EXPECT_EQ(access_entry(LogFormat::kJson, entry, 0), access_line(entry, 0));
}

TEST(AccessLog, OmitsTextInventedByTheCaller) {
  const std::string line =
      access_line({.request_id = "r", .method = "SECRET", .route = "", .status = 404, .bytes = {}, .remote = ""}, 0);
  EXPECT_EQ(line.find("SECRET"), std::string::npos);
  EXPECT_NE(line.find("\"method\":\"-\",\"route\":\"-\",\"status\":404,\"bytes\":null"), std::string::npos);
}

TEST(DescriptorSink, LinesOfManyThreadsStayIntact) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  DescriptorSink sink(ends[1]);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&sink, n] {
      for (int at = 0; at < 100; ++at) sink.write(std::string(20, static_cast<char>('a' + n)) + "\n");
    });
  }
  for (auto& thread : threads) thread.join();
  close(ends[1]);
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  ASSERT_EQ(all.size(), 4U * 100 * 21);
  for (std::size_t at = 0; at < all.size(); at += 21) {
    const std::string line = all.substr(at, 21);
    EXPECT_EQ(line.find_first_not_of(line[0]), 20U) << line;
    EXPECT_EQ(line.back(), '\n');
  }
}

// A pipe that is full until the test reads it.
TEST(DescriptorSink, ABlockedReaderDoesNotBlockWriters) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  DescriptorSink sink(ends[1]);
  const std::string line = std::string(999, 'x') + "\n";
  constexpr int kLines = 2'000;  // a pipe holds 64 of them, and each blocked write would wait
  for (int n = 0; n < kLines; ++n) sink.write(line);
  std::string all(1 << 20, '\0');
  const auto taken = [&] { return std::string(all.data(), static_cast<std::size_t>(read(ends[0], all.data(), all.size()))); };
  const std::string first = taken();
  EXPECT_EQ(std::string_view(first).substr(0, line.size()), line);
  sink.write("the reader is back\n");
  close(ends[1]);
  const std::string then = taken();
  close(ends[0]);
  const auto kept = std::ranges::count(first, '\n');
  EXPECT_NE(
      then.find(format("ladder: {} log lines were dropped, because the output was blocked\nthe reader is back\n", kLines - kept)),
      std::string::npos)
      << then;
}

class Kept final : public LogSink {
 public:
  void write(std::string_view line) override {
    const std::lock_guard lock(mutex_);
    writes_.emplace_back(line);
  }
  std::vector<std::string> writes() {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  std::string text() {
    std::string all;
    for (const std::string& one : writes()) all += one;
    return all;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> writes_;
};

TEST(BufferedLog, WritesASingleLineAtOnce) {
  Kept kept;
  BufferedLog log(kept);
  log.write("one\n");
  EXPECT_EQ(kept.text(), "one\n");
}

TEST(BufferedLog, FlushesSoonWithoutFurtherLines) {
  Kept kept;
  BufferedLog log(kept);
  log.write("one\n");
  log.write("two\n");
  for (int i = 0; i < 6000 && kept.text() != "one\ntwo\n"; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(kept.text(), "one\ntwo\n");
}

TEST(BufferedLog, KeepsAllLinesOfManyThreads) {
  Kept kept;
  {
    BufferedLog log(kept);
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&log, n] {
        for (int at = 0; at < 1000; ++at) log.write(std::string(20, static_cast<char>('a' + n)) + "\n");
      });
    }
    for (auto& thread : threads) thread.join();
  }
  const std::string all = kept.text();
  ASSERT_EQ(all.size(), 4U * 1000 * 21);
  for (std::size_t at = 0; at < all.size(); at += 21) {
    const std::string line = all.substr(at, 21);
    EXPECT_EQ(line.find_first_not_of(line[0]), 20U) << line;
  }
  const auto writes = kept.writes();
  EXPECT_LT(writes.size(), 1000U) << "many lines per write";
  EXPECT_TRUE(std::ranges::all_of(writes, [](const std::string& one) {
    return one.size() <= BufferedLog::kMaxBytes && one.ends_with('\n');
  })) << "complete lines, up to the atomic size of a pipe";
}

TEST(BufferedLog, WritesALineLargerThanTheBuffer) {
  Kept kept;
  const std::string line(BufferedLog::kMaxBytes * 2, 'x');
  {
    BufferedLog log(kept);
    log.write("one\n");
    log.write("two\n");
    log.write(line + "\n");
  }
  EXPECT_EQ(kept.text(), "one\ntwo\n" + line + "\n");
}

}  // namespace
}  // namespace ladder::http

#include "http/middleware/buffered_log.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <thread>
#include <vector>

namespace ladder::http {
namespace {

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

TEST(BufferedLog, ALineAloneIsWrittenAtOnce) {
  Kept kept;
  BufferedLog log(kept);
  log.write("one\n");
  EXPECT_EQ(kept.text(), "one\n");
}

TEST(BufferedLog, WhatNothingFollowsComesSoon) {
  Kept kept;
  BufferedLog log(kept);
  log.write("one\n");
  log.write("two\n");
  for (int i = 0; i < 200 && kept.text() != "one\ntwo\n"; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(kept.text(), "one\ntwo\n");
}

TEST(BufferedLog, LinesOfManyThreadsAllComeWholeAndTheLastAtTheEnd) {
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
  EXPECT_LT(writes.size(), 1000U) << "many lines a write";
  EXPECT_TRUE(std::ranges::all_of(writes, [](const std::string& one) {
    return one.size() <= BufferedLog::kMostBytes && one.ends_with('\n');
  })) << "whole lines, as much as a pipe takes in one piece";
}

TEST(BufferedLog, ALineThatIsTooLongForThatIsWrittenAllTheSame) {
  Kept kept;
  const std::string line(BufferedLog::kMostBytes * 2, 'x');
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

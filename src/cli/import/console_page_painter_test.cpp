#include "cli/import/console_page_painter.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <latch>

namespace ladder::cli {
namespace {

// A rendering process that never ends by itself.
class HangingExtractor {
 public:
  HangingExtractor() {
    std::string name = std::filesystem::temp_directory_path() / "ladder-painter-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    std::ofstream(program()) << "#!/bin/sh\ncat > /dev/null\nexec sleep 60\n";
    ::chmod(program().c_str(), S_IRWXU);
  }
  ~HangingExtractor() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  HangingExtractor(const HangingExtractor&) = delete;
  HangingExtractor& operator=(const HangingExtractor&) = delete;
  std::string program() const { return folder_ / "ladder-extract"; }

 private:
  std::filesystem::path folder_;
};

// Holds the painter's lock on its own thread until it is released.
class PageUnderWay {
 public:
  explicit PageUnderWay(ConsolePagePainter& painter)
      : painted_(std::async(std::launch::async, [this, &painter] { return painter.paint([this] { return read(); }, 1); })) {
    begun_.wait();
  }
  ~PageUnderWay() {
    if (painted_.valid()) may_end_.count_down();
  }
  PageUnderWay(const PageUnderWay&) = delete;
  PageUnderWay& operator=(const PageUnderWay&) = delete;
  Result<std::string> release() {
    may_end_.count_down();
    return painted_.get();
  }

 private:
  Result<std::string> read() {
    begun_.count_down();
    may_end_.wait();
    return fail(Code::kNotFound, "The record is gone.");
  }

  std::latch begun_{1}, may_end_{1};
  std::future<Result<std::string>> painted_;
};

TEST(ConsolePagePainter, WaitsForItsTurnBeforeReadingTheDocument) {
  ConsolePagePainter painter({"/nonexistent/ladder-extract", "test"});
  PageUnderWay first(painter);
  std::atomic<int> reads = 0;
  const auto second = painter.paint(
      [&]() -> Result<std::string> {
        ++reads;
        return std::string("%PDF");
      },
      1);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kResourceLimit);
  EXPECT_NE(second.error().message.find("Other pages"), std::string::npos) << second.error().message;
  EXPECT_EQ(reads, 0) << "a waiting render holds no document";
  const auto ended = first.release();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kNotFound) << "returns the read error";
}

TEST(ConsolePagePainter, StartsNoPageAfterTheServerStops) {
  ConsolePagePainter painter({"/nonexistent/ladder-extract", "test"});
  PageUnderWay first(painter);
  std::atomic<int> reads = 0;
  auto second = std::async(std::launch::async, [&] {
    return painter.paint(
        [&]() -> Result<std::string> {
          ++reads;
          return std::string("%PDF");
        },
        1);
  });
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout) << "it waits for its turn";
  painter.stop();
  (void)first.release();
  const auto outcome = second.get();
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("stopping"), std::string::npos) << outcome.error().message;
  EXPECT_EQ(reads, 0);
}

TEST(ConsolePagePainter, AbortsARunningPageWhenTheServerStops) {
  const HangingExtractor hanging;
  ConsolePagePainter painter({hanging.program(), "test"});
  auto painted = std::async(std::launch::async,
                            [&] { return painter.paint([]() -> Result<std::string> { return std::string("%PDF"); }, 1); });
  EXPECT_EQ(painted.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  painter.stop();
  ASSERT_EQ(painted.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_FALSE(painted.get());
}

}  // namespace
}  // namespace ladder::cli

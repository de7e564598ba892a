// Lines of the log, gathered while they come thick and fast: under load one write takes many of them, and no request waits for
// another's. A line that comes alone is written at once; any other within kMostWait, and the last ones when this is destroyed.
#pragma once

#include "http/middleware/access_log.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace ladder::http {

class BufferedLog final : public LogSink {
 public:
  static constexpr std::chrono::milliseconds kMostWait{50};
  // So much at a time: a pipe takes it in one piece, so that lines of several processes do not mix.
  static constexpr std::size_t kMostBytes = 4096;

  explicit BufferedLog(LogSink& to);
  ~BufferedLog() override;
  BufferedLog(const BufferedLog&) = delete;
  BufferedLog& operator=(const BufferedLog&) = delete;

  void write(std::string_view line) override;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void pass_on(Time now);  // under the lock
  void run();

  LogSink& to_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string lines_;
  Time last_{};  // when something was passed on
  bool stopping_ = false;
  bool idle_ = false;   // the thread sleeps until somebody wakes it; else it comes by itself
  std::thread thread_;  // passes on what nothing else came after
};

}  // namespace ladder::http

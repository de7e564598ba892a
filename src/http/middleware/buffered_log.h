// Lines of the log, gathered while they come thick and fast: under load one write takes many of them, and no request waits for
// another's. A line that comes alone is written at once; any other within kMostWait, and the last ones when this is destroyed.
#pragma once

#include "base/mutex.h"
#include "http/middleware/access_log.h"

#include <chrono>
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

  void pass_on(Time now) LADDER_REQUIRES(mutex_);
  void run();

  LogSink& to_;
  Mutex mutex_;
  Condition wake_;
  std::string lines_ LADDER_GUARDED_BY(mutex_);
  Time last_ LADDER_GUARDED_BY(mutex_){};  // when something was passed on
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  bool idle_ LADDER_GUARDED_BY(mutex_) = false;  // the thread sleeps until somebody wakes it; else it comes by itself
  std::thread thread_;                           // passes on what nothing else came after
};

}  // namespace ladder::http

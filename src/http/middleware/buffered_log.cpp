#include "http/middleware/buffered_log.h"

namespace ladder::http {

BufferedLog::BufferedLog(LogSink& to) : to_(to), thread_([this] { run(); }) {}

BufferedLog::~BufferedLog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  pass_on({});
}

void BufferedLog::write(std::string_view line) {
  const Time now = std::chrono::steady_clock::now();
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    if (lines_.size() + line.size() > kMostBytes) pass_on(now);
    lines_ += line;
    if (now - last_ >= kMostWait) pass_on(now);
    wake = idle_ && !lines_.empty();
    if (wake) idle_ = false;
  }
  if (wake) wake_.notify_one();
}

void BufferedLog::pass_on(Time now) {
  last_ = now;
  if (lines_.empty()) return;
  to_.write(lines_);
  lines_.clear();
}

void BufferedLog::run() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (lines_.empty()) {
      idle_ = true;
      wake_.wait(lock);
      continue;
    }
    idle_ = false;
    const Time due = last_ + kMostWait;
    const Time now = std::chrono::steady_clock::now();
    if (now >= due) pass_on(now);
    else wake_.wait_until(lock, due, [&]() LADDER_REQUIRES(mutex_) { return stopping_; });
  }
}

}  // namespace ladder::http

#include "base/suspension.h"

namespace ladder {

Suspension& Suspension::of_process() {
  static Suspension suspension;
  return suspension;
}

void Suspension::enter() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&] { return !is_wanted(); });
  ++holds_;
}

void Suspension::leave() {
  const MutexLock lock(mutex_);
  --holds_;
  changed_.notify_all();
}

void Suspension::suspend(std::chrono::milliseconds timeout, const std::function<void()>& stop) {
  {
    MutexLock lock(mutex_);
    wanted_ = true;
    changed_.wait_for(lock, timeout, [&]() LADDER_REQUIRES(mutex_) { return holds_ == 0; });
  }
  stop();
  const MutexLock lock(mutex_);
  wanted_ = false;
  changed_.notify_all();
}

}  // namespace ladder

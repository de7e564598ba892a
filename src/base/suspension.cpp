#include "base/suspension.h"

namespace ladder {

Suspension& Suspension::of_process() {
  static Suspension suspension;
  return suspension;
}

void Suspension::enter() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !is_wanted(); });
  ++holds_;
}

void Suspension::leave() {
  const std::lock_guard lock(mutex_);
  --holds_;
  changed_.notify_all();
}

void Suspension::suspend(std::chrono::milliseconds patience, const std::function<void()>& stop) {
  {
    std::unique_lock lock(mutex_);
    wanted_ = true;
    changed_.wait_for(lock, patience, [&] { return holds_ == 0; });
  }
  stop();
  const std::lock_guard lock(mutex_);
  wanted_ = false;
  changed_.notify_all();
}

}  // namespace ladder

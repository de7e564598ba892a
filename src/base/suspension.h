// Suspends the process (Ctrl-Z) at safe points. A process that stops inside a write transaction keeps the store's lock
// and blocks all other writers. So transactions are counted here, and the signal handler thread stops the process
// between two of them.
#pragma once

#include "base/mutex.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

namespace ladder {

class Suspension {
 public:
  static Suspension& of_process();

  // The process is not suspended while a Hold exists. The constructor waits if a suspension is pending.
  class Hold {
   public:
    explicit Hold(Suspension& suspension) : suspension_(&suspension) { suspension.enter(); }
    Hold(Hold&& other) noexcept : suspension_(std::exchange(other.suspension_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold() {
      if (suspension_) suspension_->leave();
    }

   private:
    Suspension* suspension_;
  };

  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }  // long holds should end early

  // Blocks new holds, waits for existing ones (no longer than `timeout`), and calls `stop`, which returns when the
  // process resumes.
  void suspend(std::chrono::milliseconds timeout, const std::function<void()>& stop);

 private:
  void enter();
  void leave();

  std::atomic<bool> wanted_ = false;
  Mutex mutex_;  // guards the count
  Condition changed_;
  int holds_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder

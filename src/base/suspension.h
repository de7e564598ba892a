// Suspends a program (Ctrl-Z) at points that it names. A process that stops inside a write transaction keeps the lock of the
// store, and every other writer waits until it goes on. So transactions are counted here, and whoever handles the signal stops
// the process between two of them.
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

  // While one lives the process is not suspended. Waits while it is about to be.
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

  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }  // long holds end early

  // Lets no new hold begin, waits for the present ones, but no longer than `timeout`, and runs `stop`, which returns when the
  // process goes on.
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

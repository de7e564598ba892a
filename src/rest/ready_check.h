// Checks within a second and a half whether the store is readable, so that a load balancer's probe does not wait for a hanging
// database. At most one check runs at a time; a caller that finds one overdue gets an error at once. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace ladder::rest {

class ReadyCheck {
 public:
  explicit ReadyCheck(std::function<Status()> check) : check_(std::move(check)) {}
  ~ReadyCheck();  // waits for a running check
  ReadyCheck(const ReadyCheck&) = delete;
  ReadyCheck& operator=(const ReadyCheck&) = delete;

  // Returns kStoreUnavailable if the check times out or the server is stopping, otherwise the result of the check.
  Status operator()();
  void stop() { stopping_ = true; }  // from now on this server is not ready

 private:
  const std::function<Status()> check_;
  std::atomic<bool> stopping_ = false;
  Mutex mutex_;
  Condition finished_;
  std::thread thread_ LADDER_GUARDED_BY(mutex_);
  std::optional<Deadline> deadline_ LADDER_GUARDED_BY(mutex_);  // of the running check
  int checks_ LADDER_GUARDED_BY(mutex_) = 0;                    // finished ones
  Status result_ LADDER_GUARDED_BY(mutex_);                     // of the last one
};

}  // namespace ladder::rest

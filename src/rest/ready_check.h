// Answers whether the store can be read, within a second and a half: a load balancer that asks a node must not wait for a
// database that hangs. At most one check runs at a time; a caller that finds one overdue is refused at once. Safe to call from
// any thread.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"

#include <functional>
#include <optional>
#include <thread>

namespace ladder::rest {

class ReadyCheck {
 public:
  explicit ReadyCheck(std::function<Status()> check) : check_(std::move(check)) {}
  ~ReadyCheck();  // waits for a check that runs
  ReadyCheck(const ReadyCheck&) = delete;
  ReadyCheck& operator=(const ReadyCheck&) = delete;

  // kStoreUnavailable when there is no answer in time, otherwise what the check says.
  Status operator()();

 private:
  const std::function<Status()> check_;
  Mutex mutex_;
  Condition finished_;
  std::thread thread_ LADDER_GUARDED_BY(mutex_);
  std::optional<Deadline> deadline_ LADDER_GUARDED_BY(mutex_);  // of the check that runs
  int checks_ LADDER_GUARDED_BY(mutex_) = 0;                    // finished
  Status result_ LADDER_GUARDED_BY(mutex_);                     // of the last one
};

}  // namespace ladder::rest

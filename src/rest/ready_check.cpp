#include "rest/ready_check.h"

#include <chrono>
#include <utility>

namespace ladder::rest {
namespace {

constexpr std::chrono::milliseconds kWaitLimit{1'500};

}  // namespace

ReadyCheck::~ReadyCheck() {
  std::thread running;
  {
    const MutexLock lock(mutex_);
    running = std::move(thread_);
  }
  if (running.joinable()) running.join();
}

Status ReadyCheck::operator()() {
  if (stopping_)
    return fail(Code::kStoreUnavailable, "this server is stopping: send requests to another one, or wait for its restart");
  MutexLock lock(mutex_);
  const int before = checks_;
  if (!deadline_) {
    if (thread_.joinable()) thread_.join();  // it has finished
    deadline_ = Deadline::after(kWaitLimit);
    thread_ = std::thread([this] {
      Status result = check_();
      const MutexLock done(mutex_);
      result_ = std::move(result);
      deadline_.reset();
      ++checks_;
      finished_.notify_all();
    });
  }
  const Deadline deadline = *deadline_;
  while (checks_ == before && !deadline.passed()) finished_.wait_for(lock, deadline.left());
  if (checks_ != before) return result_;
  return fail(Code::kStoreUnavailable, "the store is not responding: check whether its database hangs or is overloaded");
}

}  // namespace ladder::rest

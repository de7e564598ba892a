// A few threads that do jobs as they come, for work that keeps more than one core busy. The first error ends it: what comes after
// is dropped.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace ladder::cli {

class WorkerPool {
 public:
  using Job = std::function<Status()>;

  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();  // what waits is dropped, what runs is finished
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  Status add(Job job);  // waits while as many wait as there are threads; the first error of any so far
  Status finish();      // every job that was added is done; the first error

 private:
  void work();

  Mutex mutex_;
  Condition changed_;
  std::deque<Job> waiting_ LADDER_GUARDED_BY(mutex_);
  std::size_t running_ LADDER_GUARDED_BY(mutex_) = 0;
  bool ends_ LADDER_GUARDED_BY(mutex_) = false;
  Status failed_ LADDER_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // the last member: they are joined before the others go
};

}  // namespace ladder::cli

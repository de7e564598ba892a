// A small thread pool for CPU-bound work. The first error stops it: later jobs are dropped.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

namespace ladder::app {

class WorkerPool {
 public:
  using Job = std::function<Status()>;

  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();  // drops queued jobs and waits for running ones
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  Status add(Job job);  // blocks while the queue is full; returns the first error so far
  Status finish();      // waits for all jobs; returns the first error

 private:
  void work();

  Mutex mutex_;
  Condition changed_;
  std::deque<Job> waiting_ LADDER_GUARDED_BY(mutex_);
  std::size_t running_ LADDER_GUARDED_BY(mutex_) = 0;
  bool ends_ LADDER_GUARDED_BY(mutex_) = false;
  Status failed_ LADDER_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  // the last member: joined before the others are destroyed
};

}  // namespace ladder::app

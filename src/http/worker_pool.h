// A fixed number of threads and a bounded queue, for work that may wait. FairQueue chooses the next task. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "http/fair_queue.h"

#include <cstddef>
#include <thread>
#include <vector>

namespace ladder::http {

class WorkerPool {
 public:
  using Task = FairQueue::Task;

  WorkerPool(unsigned threads, std::size_t max_queue);
  ~WorkerPool();  // stops
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Also returns kFull if the pool has stopped.
  Admission submit(const Party& party, Task task);
  // Adds work that has already started, such as the next piece of a response; dropped if the pool has stopped.
  void submit_always(const Party& party, Task task);
  std::size_t queue_length() const;
  FairQueue::Backlog backlog() const;
  std::size_t threads() const { return count_; }
  std::size_t idle() const;  // waiting threads
  void stop();               // drops queued work and waits for running work; not callable from the pool's own threads

 private:
  void run();
  bool should_wake() LADDER_REQUIRES(mutex_);  // if true, the caller wakes one thread, preferably without the mutex

  const std::size_t count_;
  mutable Mutex mutex_;
  Condition wake_;
  FairQueue queue_ LADDER_GUARDED_BY(mutex_);
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  std::size_t idle_ LADDER_GUARDED_BY(mutex_) = 0;  // waiting threads
  bool waking_ LADDER_GUARDED_BY(mutex_) = false;   // a woken thread that is not running yet; it wakes the next one if needed
  std::vector<std::thread> threads_;
};

}  // namespace ladder::http

// A fixed number of threads and one bounded queue, for work that may wait; whose turn it is says FairQueue. Thread-safe.
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

  // kFull also when the pool has stopped.
  Admission submit(const Party& party, Task task);
  // For what has begun already, such as the next piece of an answer; dropped when stopped.
  void submit_always(const Party& party, Task task);
  std::size_t queue_length() const;
  std::size_t threads() const { return count_; }
  std::size_t idle() const;  // threads that wait for work
  void stop();               // drops what waits, then returns when what runs has finished; not from one of its own threads

 private:
  void run();
  bool should_wake() LADDER_REQUIRES(mutex_);  // the caller then wakes one thread, best without the mutex

  const std::size_t count_;
  mutable Mutex mutex_;
  Condition wake_;
  FairQueue queue_ LADDER_GUARDED_BY(mutex_);
  bool stopping_ LADDER_GUARDED_BY(mutex_) = false;
  std::size_t idle_ LADDER_GUARDED_BY(mutex_) = 0;  // threads that wait
  bool waking_ LADDER_GUARDED_BY(mutex_) =
      false;  // one of them has been woken and has not come yet; it wakes the next one if that is needed
  std::vector<std::thread> threads_;
};

}  // namespace ladder::http

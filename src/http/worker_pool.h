// A fixed number of threads and one bounded queue, for work that may wait. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ladder::http {

class WorkerPool {
 public:
  using Task = std::move_only_function<void()>;

  WorkerPool(unsigned threads, std::size_t max_queue);
  ~WorkerPool();  // stops
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  bool submit(Task task);         // false when the queue is full or the pool has stopped
  void submit_always(Task task);  // for what has begun already, such as the next piece of an answer; dropped when stopped
  std::size_t queue_length() const;
  void stop();  // drops what waits, then returns when what runs has finished; not from one of its own threads

 private:
  void run();
  void push(std::unique_lock<std::mutex> lock, Task task);
  bool should_wake();  // under the lock; the caller then wakes one thread

  const std::size_t max_queue_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  bool stopping_ = false;
  std::size_t idle_ = 0;  // threads that wait
  bool waking_ = false;   // one of them has been woken and has not come yet; it wakes the next one if that is needed
  std::vector<std::thread> threads_;
};

}  // namespace ladder::http

#include "http/worker_pool.h"

namespace ladder::http {

WorkerPool::WorkerPool(unsigned threads, std::size_t max_queue) : max_queue_(max_queue) {
  threads_.reserve(threads);
  for (unsigned n = 0; n < threads; ++n) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::submit(Task task) {
  std::unique_lock lock(mutex_);
  if (stopping_ || queue_.size() >= max_queue_) return false;
  push(std::move(lock), std::move(task));
  return true;
}

void WorkerPool::submit_always(Task task) {
  std::unique_lock lock(mutex_);
  if (!stopping_) push(std::move(lock), std::move(task));
}

void WorkerPool::push(std::unique_lock<std::mutex> lock, Task task) {
  queue_.push_back(std::move(task));
  const bool wake = should_wake();
  lock.unlock();
  if (wake) wake_.notify_one();
}

// Tasks often come faster than threads wake up: then one thread takes several, and the others need not be disturbed.
bool WorkerPool::should_wake() {
  if (idle_ == 0 || waking_ || queue_.empty()) return false;
  waking_ = true;
  return true;
}

std::size_t WorkerPool::queue_length() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void WorkerPool::stop() {
  std::deque<Task> dropped;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(queue_);
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::run() {
  for (;;) {
    Task task;
    bool wake = false;
    {
      std::unique_lock lock(mutex_);
      while (!stopping_ && queue_.empty()) {
        ++idle_;
        wake_.wait(lock);
        --idle_;
        waking_ = false;
      }
      if (stopping_) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      wake = should_wake();
    }
    if (wake) wake_.notify_one();
    task();
  }
}

}  // namespace ladder::http

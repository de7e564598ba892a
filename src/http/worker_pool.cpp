#include "http/worker_pool.h"

namespace ladder::http {

WorkerPool::WorkerPool(unsigned threads, std::size_t max_queue) : max_queue_(max_queue) {
  threads_.reserve(threads);
  for (unsigned n = 0; n < threads; ++n) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || queue_.size() >= max_queue_) return false;
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::submit_always(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
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
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace ladder::http

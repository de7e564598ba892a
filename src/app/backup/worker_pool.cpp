#include "app/backup/worker_pool.h"

#include <utility>

namespace ladder::app {

WorkerPool::WorkerPool(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  const MutexLock lock(mutex_);
  ends_ = true;
  waiting_.clear();
  changed_.notify_all();
}

void WorkerPool::work() {
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return ends_ || !waiting_.empty(); });
    if (ends_) return;
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    changed_.notify_all();
    lock.unlock();
    Status done = job();
    lock.lock();
    --running_;
    if (!done && failed_) {
      failed_ = std::move(done);
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

Status WorkerPool::add(Job job) {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return waiting_.size() < threads_.size() || !failed_; });
  if (!failed_) return failed_;
  waiting_.push_back(std::move(job));
  changed_.notify_all();
  return {};
}

Status WorkerPool::finish() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return waiting_.empty() && running_ == 0; });
  return failed_;
}

}  // namespace ladder::app

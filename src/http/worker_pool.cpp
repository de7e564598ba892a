#include "http/worker_pool.h"

#include "base/mutex.h"

#include <time.h>

#include <algorithm>

namespace ladder::http {
namespace {

// Database time for a request counts less than our own CPU time, since most of it is waiting on a busy machine.
constexpr int kWaitingCounts = 4;

FairQueue::Time now() { return std::chrono::steady_clock::now(); }

FairQueue::Cost cpu_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

WorkerPool::WorkerPool(unsigned threads, std::size_t max_queue)
    : count_(threads), queue_(threads, std::max(1U, std::thread::hardware_concurrency()), max_queue) {
  threads_.reserve(threads);
  for (unsigned n = 0; n < threads; ++n) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() { stop(); }

Admission WorkerPool::submit(const Party& party, Task task) {
  MutexLock lock(mutex_);
  if (stopping_) return {Entry::kFull};
  const Admission admission = queue_.push(party, std::move(task), now());
  const bool wake = admission && should_wake();
  lock.unlock();
  if (wake) wake_.notify_one();
  return admission;
}

void WorkerPool::submit_always(const Party& party, Task task) {
  MutexLock lock(mutex_);
  if (stopping_) return;
  queue_.push_always(party, std::move(task), now());
  const bool wake = should_wake();
  lock.unlock();
  if (wake) wake_.notify_one();
}

// Tasks often arrive faster than threads wake up. Then one thread takes several, and the others are not woken.
bool WorkerPool::should_wake() {
  if (idle_ == 0 || waking_ || !queue_.has_ready(now())) return false;
  waking_ = true;
  return true;
}

std::size_t WorkerPool::idle() const {
  const MutexLock lock(mutex_);
  return idle_;
}

std::size_t WorkerPool::queue_length() const {
  const MutexLock lock(mutex_);
  return queue_.waiting();
}

FairQueue::Backlog WorkerPool::backlog() const {
  const MutexLock lock(mutex_);
  return queue_.backlog();
}

void WorkerPool::stop() {
  std::vector<Task> dropped;
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    dropped = queue_.clear();
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::run() {
  std::optional<FairQueue::Job> job;
  FairQueue::Cost cost{}, cpu_before = cpu_time();
  for (;;) {
    bool wake = false;
    {
      MutexLock lock(mutex_);
      if (job) queue_.finish(*job, cost);
      while (!stopping_ && !(job = queue_.pop(now()))) {
        ++idle_;
        wake_.wait(lock);
        --idle_;
        waking_ = false;
      }
      if (stopping_) return;
      wake = should_wake();
    }
    if (wake) wake_.notify_one();
    job->task();
    job->task = nullptr;                     // frees its captures here, without the lock
    const FairQueue::Cost cpu = cpu_time();  // the call is expensive, so the time to take the job is included
    cost = std::max(cpu - cpu_before, FairQueue::Cost(now() - job->began) / kWaitingCounts);
    cpu_before = cpu;
  }
}

}  // namespace ladder::http

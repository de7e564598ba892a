// Mutex, MutexLock and Condition: std::mutex and std::condition_variable with clang's thread-safety annotations. clang
// rejects code that accesses a GUARDED_BY member without its mutex, or calls a REQUIRES function without it.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define LADDER_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define LADDER_THREAD_ANNOTATION(x)  // g++ has no such analysis
#endif

#define LADDER_GUARDED_BY(mutex) LADDER_THREAD_ANNOTATION(guarded_by(mutex))
#define LADDER_REQUIRES(mutex) LADDER_THREAD_ANNOTATION(requires_capability(mutex))
#define LADDER_EXCLUDES(mutex) LADDER_THREAD_ANNOTATION(locks_excluded(mutex))

namespace ladder {

class LADDER_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds the mutex during its lifetime, except between unlock() and lock().
class LADDER_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) LADDER_THREAD_ANNOTATION(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() LADDER_THREAD_ANNOTATION(release_capability()) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void lock() LADDER_THREAD_ANNOTATION(acquire_capability()) { lock_.lock(); }
  void unlock() LADDER_THREAD_ANNOTATION(release_capability()) { lock_.unlock(); }

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

// The predicate runs with the mutex held: write it as [&]() LADDER_REQUIRES(mutex_) { return …; }.
class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }
  void wait(MutexLock& lock) { condition_.wait(lock.lock_); }
  template <class Predicate>
  void wait(MutexLock& lock, Predicate predicate) {
    condition_.wait(lock.lock_, predicate);
  }
  template <class Duration>
  void wait_for(MutexLock& lock, Duration duration) {
    condition_.wait_for(lock.lock_, duration);
  }
  template <class Duration, class Predicate>
  bool wait_for(MutexLock& lock, Duration duration, Predicate predicate) {
    return condition_.wait_for(lock.lock_, duration, predicate);
  }
  template <class Time>
  std::cv_status wait_until(MutexLock& lock, Time deadline) {
    return condition_.wait_until(lock.lock_, deadline);
  }
  template <class Time, class Predicate>
  bool wait_until(MutexLock& lock, Time deadline, Predicate predicate) {
    return condition_.wait_until(lock.lock_, deadline, predicate);
  }

 private:
  std::condition_variable condition_;
};

}  // namespace ladder

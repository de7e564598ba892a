// The queue of the writers of one store, within the process and across processes (design D17).
//
//   lock QUEUE ── lock WRITER ── release QUEUE ── write ── release WRITER
//
// Both are files next to the database that are locked with flock(). To lock WRITER again, a writer must first lock
// QUEUE, which the next waiter holds, so a busy importer cannot starve a small write. Threads of one process first
// queue in order of arrival. Bulk writers do not wait for QUEUE but for each other, at a third file (BULK), so that a
// small write waits for one transaction and not for one of each importer.
//
// The files only order the writers; SQLite's own write lock excludes them from each other. A stopped process (SIGSTOP)
// may hold a file forever without writing, so a wait for a file has a timeout. After that the writer continues without
// the lock and waits for SQLite's lock, which a stopped process holds only inside a transaction. Threads of one process
// do exclude each other here, because they share a connection.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <utility>

namespace ladder::store::sqlite {

class WriterQueue {
 public:
  explicit WriterQueue(const std::string& database_path);
  ~WriterQueue();
  WriterQueue(const WriterQueue&) = delete;
  WriterQueue& operator=(const WriterQueue&) = delete;

  // The right to write. The destructor lets the next writer in.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : writer_queue_(std::exchange(other.writer_queue_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (writer_queue_) writer_queue_->leave();
    }

   private:
    friend class WriterQueue;
    explicit Pass(WriterQueue* writer_queue) : writer_queue_(writer_queue) {}
    WriterQueue* writer_queue_;
  };

  // A bulk writer has low priority: no transaction ends early for it. A revocation is urgent: it precedes every other
  // thread of its process and waits less for the files.
  enum class Priority : std::uint8_t { kLow, kNormal, kUrgent };
  // Selects if the writer may continue without a lock file that stays locked.
  enum class Files : std::uint8_t { kOptional, kRequired };

  // kStoreUnavailable when the deadline passes first, or when the lock files cannot be created.
  Result<Pass> enter(Deadline deadline, Priority priority = Priority::kNormal, Files files = Files::kOptional);
  // For the holder of the pass: returns whether a writer of this process that is not a bulk writer, or another process, waits.
  bool has_waiters();

  std::size_t waiting() const;                                     // threads of this process
  const std::string& writer_file() const { return writer_path_; }  // created by the first enter(), readable only by its owner

 private:
  struct Waiter {
    Priority priority = Priority::kNormal;
    Condition arrived;
    bool served = false;
  };
  struct LockFile {
    std::string path;
    int fd = -1;
    bool held = false;
    bool stuck = false;  // was skipped and has not been free since
  };

  bool enter_thread_queue(Deadline deadline, Priority priority);
  void join_thread_queue(Waiter& waiter) LADDER_REQUIRES(mutex_);
  void leave_thread_queue();
  Status enter_files(Deadline deadline, Priority priority, Files files);
  Status enter_files_in_bulk(Deadline deadline, Files files);
  Result<bool> try_take(LockFile& file);
  Status take(LockFile& file, Deadline deadline, Deadline wait_limit);
  static void release(LockFile& file);
  void leave();

  mutable Mutex mutex_;  // guards the thread queue of this process
  bool taken_ LADDER_GUARDED_BY(mutex_) = false;
  std::list<Waiter*> waiting_ LADDER_GUARDED_BY(mutex_);

  const std::string writer_path_;
  LockFile queue_, writer_, bulk_;  // used only by the thread at the front of the queue
};

// The error for a writer that has waited too long for the store at this path. It names the holder if it is known.
Error held_too_long(const std::string& database_path);

}  // namespace ladder::store::sqlite

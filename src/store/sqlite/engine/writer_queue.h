// The queue of the writers of one store, within the process and across processes (design D17).
//
//   lock QUEUE ── lock WRITER ── release QUEUE ── write ── release WRITER
//
// Both are flock()ed files beside the database. Whoever holds WRITER and wants it again must pass QUEUE, which the next in line
// holds, so a busy importer cannot starve a small write. Threads of one process queue in order of arrival before they go there.
// Bulk writers do not wait in QUEUE but behind each other, at a third file (BULK), so that a small write waits for one
// transaction and not for one of each importer.
//
// The files only order the writers; what excludes them from each other is SQLite's own write lock. A process that was stopped
// (SIGSTOP) may hold a file for ever without writing, so nobody waits for one longer than a timeout: after that it goes in
// without, and waits for SQLite's lock, which a stopped process holds only inside a transaction. Threads of one process do
// exclude each other here, since they share a connection.
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

  // The right to write; lets the next one in when it goes.
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

  // A bulk writer is not in a hurry: nobody ends a transaction for its sake. A revocation is urgent: it goes before every
  // other thread of its process, and waits less for the files.
  enum class Haste : std::uint8_t { kNone, kUsual, kUrgent };
  // True if a file that stays locked is passed by.
  enum class Files : std::uint8_t { kPassed, kRequired };

  // kStoreUnavailable when the deadline passes first, or when the lock files cannot be made.
  Result<Pass> enter(Deadline deadline, Haste haste = Haste::kUsual, Files files = Files::kPassed);
  // For whoever holds the pass: somebody in haste, or another process, waits for it.
  bool is_awaited();

  std::size_t waiting() const;                                     // threads of this process
  const std::string& writer_file() const { return writer_path_; }  // exists, readable by its owner only, once someone has entered

 private:
  struct Waiter {
    Haste haste = Haste::kUsual;
    Condition arrived;
    bool served = false;
  };
  struct LockFile {
    std::string path;
    int fd = -1;
    bool held = false;
    bool stuck = false;  // was passed by, and has not been free since
  };

  bool enter_line(Deadline deadline, Haste haste);
  void join_line(Waiter& waiter) LADDER_REQUIRES(mutex_);
  void leave_line();
  Status enter_files(Deadline deadline, Haste haste, Files files);
  Status enter_files_in_bulk(Deadline deadline, Files files);
  Result<bool> try_take(LockFile& file);
  Status take(LockFile& file, Deadline deadline, Deadline wait_limit);
  static void release(LockFile& file);
  void leave();

  mutable Mutex mutex_;  // guards the line of this process
  bool taken_ LADDER_GUARDED_BY(mutex_) = false;
  std::list<Waiter*> waiting_ LADDER_GUARDED_BY(mutex_);

  const std::string writer_path_;
  LockFile queue_, writer_, bulk_;  // used only by the thread at the head of the line
};

// The error for a writer that has waited too long for the store at this path; it names the holder, when that can be found out.
Error held_too_long(const std::string& database_path);

}  // namespace ladder::store::sqlite

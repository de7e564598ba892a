// Where the writers of one store queue, within the process and across processes (design D17).
//
//   lock QUEUE ── lock WRITER ── release QUEUE ── write ── release WRITER
//
// Both are flock()ed files beside the database. Whoever holds WRITER and wants it again must pass QUEUE, which the next in line
// holds, so a busy importer cannot starve a small write. Threads of one process queue in order of arrival before they go there.
// Bulk writers do not stand in QUEUE but behind each other, so that a small write waits for one transaction and not for one of
// each importer.
#pragma once

#include "base/result.h"
#include "base/time.h"

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

namespace ladder::store::sqlite {

class Turnstile {
 public:
  explicit Turnstile(const std::string& database_path);
  ~Turnstile();
  Turnstile(const Turnstile&) = delete;
  Turnstile& operator=(const Turnstile&) = delete;

  // The right to write; lets the next one in when it goes.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : turnstile_(std::exchange(other.turnstile_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (turnstile_) turnstile_->leave();
    }

   private:
    friend class Turnstile;
    explicit Pass(Turnstile* turnstile) : turnstile_(turnstile) {}
    Turnstile* turnstile_;
  };

  // Who writes in bulk is not in a hurry: nobody ends a transaction for its sake. What is urgent goes before all others of this
  // process.
  enum class Haste : std::uint8_t { kNone, kUsual, kUrgent };

  // kStoreUnavailable when the deadline passes first, or when the lock files cannot be made.
  Result<Pass> enter(Deadline deadline, Haste haste = Haste::kUsual);
  // For whoever holds the pass: somebody in haste, or another process, waits for it.
  bool is_awaited();

  const std::string& writer_file() const { return writer_path_; }  // exists, readable by its owner only, once someone has entered

 private:
  struct Waiter {
    Haste haste = Haste::kUsual;
    std::condition_variable arrived;
    bool served = false;
  };

  bool enter_line(Deadline deadline, Haste haste);
  void leave_line();
  Status open_files();
  Status enter_files(Deadline deadline);
  Status enter_files_in_bulk(Deadline deadline);  // turnstile_bulk.cpp
  Status wait_for_files(bool have_queue, Deadline deadline);
  void leave();

  const std::string queue_path_;
  const std::string writer_path_;
  const std::string bulk_path_;

  std::mutex mutex_;  // guards the line of this process
  bool taken_ = false;
  std::list<Waiter*> waiting_;

  int queue_ = -1;  // file descriptors; used only by the thread at the head of the line
  int writer_ = -1;
};

}  // namespace ladder::store::sqlite

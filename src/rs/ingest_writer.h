// Writes batches on a thread of its own, one after the other, while the caller reads and checks the lines of the next: the wait for
// the disk costs no reading time, and a line is acknowledged even while the caller waits for more input.
#pragma once

#include "base/time.h"
#include "rs/ingest_batch.h"
#include "rs/ingest_ledger.h"
#include "rs/ingest_retry.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace ladder::rs {

// Used by one thread. The store, target, clock, observer and ledger must outlive it; the ledger is the writer's until it is gone.
class BatchWriter {
 public:
  BatchWriter(store::Store& store, const store::WriteTarget& target, const Clock& clock, IngestObserver& observer,
              IngestLedger& ledger);
  ~BatchWriter();  // a batch in hand is finished first
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  bool idle() const { return idle_.load(std::memory_order_acquire); }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }  // the observer wants no more
  const BatchBudget& budget() const { return budget_; }

  // Takes the batch over and leaves an empty one. Waits while another is in hand. The error is an earlier batch's: nothing after
  // it has been or will be written.
  Status submit(Batch& batch);
  Status wait();  // until everything submitted is durable and in the ledger

  // Only when idle: writes a batch here and now, and enters one that was written into the ledger.
  Result<std::vector<store::Outcome>> write(Batch& batch);
  void enter(Batch& batch, const std::vector<store::Outcome>& outcomes);

 private:
  void run();
  void finish_in_hand();

  store::Store& store_;
  const store::WriteTarget& target_;
  const Clock& clock_;
  IngestObserver& observer_;
  IngestLedger& ledger_;
  BatchBudget budget_;
  std::atomic<bool> idle_ = true, stopping_ = false;

  std::mutex mutex_;
  std::condition_variable changed_;
  Batch in_hand_;                       // the thread's while idle_ is false
  bool closing_ = false;
  std::optional<Error> failure_;        // the first; kept
  std::exception_ptr thrown_;           // memory ran out, or a fault of the program: goes on in the caller
  std::jthread thread_;                 // last: everything above is there when it starts
};

}  // namespace ladder::rs

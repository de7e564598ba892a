// Writes batches on a thread of its own, one after the other, while the caller reads and checks the lines of the next: the wait
// for the disk costs no reading time, and a line is acknowledged even while the caller waits for more input.
#pragma once

#include "base/mutex.h"
#include "base/time.h"
#include "rs/ingest_batch.h"
#include "rs/ingest_ledger.h"
#include "rs/ingest_retry.h"

#include <atomic>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

namespace ladder::rs {

// Used by one thread. The store, target, clock, observer and ledger must outlive it; the ledger is the writer's until it is gone.
class BatchWriter {
 public:
  BatchWriter(store::Store& store, const store::WriteTarget& target, const Clock& clock, IngestObserver& observer,
              IngestLedger& ledger);
  ~BatchWriter();  // the batch in hand is finished, one that waits behind it is not begun
  BatchWriter(const BatchWriter&) = delete;
  BatchWriter& operator=(const BatchWriter&) = delete;

  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }  // the observer wants no more
  const BatchBudget& budget() const { return budget_; }

  // Takes the batch over and leaves an empty one. Waits while another one waits already. The error is an earlier batch's: nothing
  // after it has been or will be written.
  Status submit(Batch& batch);
  // Gives a submitted batch back if it has not been begun, so that more can go into it.
  void take_back(Batch& batch);
  Status wait();  // until everything submitted is durable and in the ledger

  // Only after wait(): writes a batch here and now, and enters one that was written into the ledger.
  Result<std::vector<store::Outcome>> write(Batch& batch);
  void enter(Batch& batch, const std::vector<store::Outcome>& outcomes);

 private:
  void run();
  bool take_waiting();  // false when there will be no more
  Status failure() const LADDER_REQUIRES(mutex_);

  store::Store& store_;
  const store::WriteTarget& target_;
  const Clock& clock_;
  IngestObserver& observer_;
  IngestLedger& ledger_;
  BatchBudget budget_;
  std::atomic<bool> stopping_ = false;

  Batch in_hand_;  // the thread's while busy_

  Mutex mutex_;
  Condition changed_;
  Batch waiting_ LADDER_GUARDED_BY(mutex_);
  bool busy_ LADDER_GUARDED_BY(mutex_) = false;
  bool closing_ LADDER_GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ LADDER_GUARDED_BY(mutex_);  // the first; kept
  std::exception_ptr thrown_ LADDER_GUARDED_BY(mutex_);     // memory ran out, or a fault of the program: goes on in the caller

  std::jthread thread_;  // last: everything above is there when it starts
};

}  // namespace ladder::rs

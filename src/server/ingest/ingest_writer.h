// Trying again when the store says kStoreUnavailable. A write that failed has changed nothing, and one whose answer was lost is
// the same again by its digest, so every try is safe.
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"
#include "server/ingest/ingest.h"
#include "server/ingest/ingest_batch.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::server {

class RetryPolicy {
 public:
  // PostgreSQL may restart or fail over: it gets the observer's retry time. SQLite has waited for its turn already, and
  // a full or read-only disk does not mend itself: it gets three tries.
  RetryPolicy(const store::Store& store, IngestObserver& observer) : observer_(observer), server_(store.engine() == "postgres") {}

  bool again(const Error& error);  // sleeps before it says yes

 private:
  IngestObserver& observer_;
  bool server_;
  int tries_ = 0;
  std::chrono::steady_clock::time_point began_{};
  std::chrono::milliseconds pause_{50};
};

template <class Attempt>
auto with_retries(const store::Store& store, IngestObserver& observer, Attempt attempt) -> decltype(attempt()) {
  RetryPolicy retry_policy(store, observer);
  for (;;) {
    auto result = attempt();
    if (result || !retry_policy.again(result.error())) return result;
  }
}

// Writes batches on a thread of its own, one after the other, while the caller reads and checks the lines of the next: the wait
// for the disk costs no reading time, and a line is acknowledged even while the caller waits for more input.

// Used by one thread. The store, target, clock, observer and ledger must outlive it; the ledger is the writer's until it is gone.
class IngestWriter {
 public:
  IngestWriter(store::Store& store, const store::WriteTarget& target, const Clock& clock, IngestObserver& observer,
               IngestLedger& ledger);
  ~IngestWriter();  // the batch in hand is finished, one that waits behind it is not begun
  IngestWriter(const IngestWriter&) = delete;
  IngestWriter& operator=(const IngestWriter&) = delete;

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

}  // namespace ladder::server

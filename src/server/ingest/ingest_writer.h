// Retries writes after kStoreUnavailable. A failed write has changed nothing, and a write whose response was lost is
// recognized by its digest, so every retry is safe.
#pragma once

#include "base/mutex.h"
#include "base/time/time.h"
#include "server/ingest/ingest.h"
#include "server/ingest/ingest_batch.h"
#include "server/shared/erased_keys.h"
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
  // PostgreSQL may restart or fail over, so it gets the observer's retry time. SQLite has already waited for its
  // lock, and a full or read-only disk does not recover by itself, so it gets three tries.
  RetryPolicy(const store::Store& store, IngestObserver& observer) : observer_(observer), server_(store.engine() == "postgres") {}

  bool should_retry(const Error& error);  // returns true after a pause if another try is allowed

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
    if (result || !retry_policy.should_retry(result.error())) return result;
  }
}

// Writes batches on its own thread while the caller reads and checks the next lines. Waiting for the disk costs no
// reading time, and lines are acknowledged while the caller waits for input.

// Not thread-safe. The shared state, target, observer and ledger must outlive it; the writer has exclusive use of the
// ledger.
class IngestWriter {
 public:
  // `checks_owner`: the owner must not be suspended, and its limits apply.
  IngestWriter(SharedState& shared, const store::WriteTarget& target, const IngestTarget& names, IngestObserver& observer,
               IngestProgress& ledger, bool checks_owner);
  ~IngestWriter();  // finishes the batch being written; a queued batch is dropped
  IngestWriter(const IngestWriter&) = delete;
  IngestWriter& operator=(const IngestWriter&) = delete;

  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }  // the observer requested a stop
  const BatchBudget& budget() const { return budget_; }

  // Queues the batch and leaves an empty one; blocks while another batch is queued. Returns the error of an earlier
  // batch, after which nothing is written.
  Status submit(Batch& batch);
  // Returns the queued batch to the caller if its write has not started, so that more lines can be added.
  void reclaim(Batch& batch);
  Status wait();  // until all submitted batches are durable and in the ledger

  // Call these only after wait(). write() writes a batch synchronously; enter() adds a written batch to the ledger.
  Result<std::vector<store::Outcome>> write(Batch& batch);
  void enter(Batch& batch, const std::vector<store::Outcome>& outcomes);

 private:
  void run();
  Result<bool> refresh_erased();
  std::vector<bool> leave_out_erased(Batch& batch);
  Status take_back(Batch& batch, std::vector<store::Outcome>& outcomes);
  bool take_waiting();  // false if no more batches will come
  Status failure() const LADDER_REQUIRES(mutex_);

  store::Store& store_;
  OwnerQuotas& quotas_;
  const bool checks_owner_;
  const store::WriteTarget& target_;
  const IngestTarget& names_;
  const Clock& clock_;
  IngestObserver& observer_;
  IngestProgress& ledger_;
  BatchBudget budget_;
  std::atomic<bool> stopping_ = false;

  ErasedKeys erased_;  // used by the thread that writes
  Batch in_hand_;      // owned by the writer thread while busy_

  Mutex mutex_;
  Condition changed_;
  Batch waiting_ LADDER_GUARDED_BY(mutex_);
  bool busy_ LADDER_GUARDED_BY(mutex_) = false;
  bool closing_ LADDER_GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ LADDER_GUARDED_BY(mutex_);  // the first error; never cleared
  std::exception_ptr thrown_ LADDER_GUARDED_BY(mutex_);     // an exception of the writer thread, rethrown in the caller

  std::jthread thread_;  // last member: starts after all others are initialized
};

}  // namespace ladder::server

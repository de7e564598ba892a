// The writing thread. A batch goes from the caller's hands to waiting_, from there to in_hand_, and comes back empty.
#include "rs/ingest_writer.h"

#include <utility>

namespace ladder::rs {

BatchWriter::BatchWriter(store::Store& store, const store::WriteTarget& target, const Clock& clock, IngestObserver& observer,
                         IngestLedger& ledger)
    : store_(store),
      target_(target),
      clock_(clock),
      observer_(observer),
      ledger_(ledger),
      budget_(target.in_bulk),
      thread_([this] { run(); }) {}

BatchWriter::~BatchWriter() {
  {
    const MutexLock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

Status BatchWriter::failure() const {
  if (thrown_) std::rethrow_exception(thrown_);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

Status BatchWriter::submit(Batch& batch) {
  {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return waiting_.empty(); });
    LADDER_CHECK(failure());
    std::swap(waiting_, batch);
  }
  changed_.notify_all();
  return {};
}

void BatchWriter::take_back(Batch& batch) {
  const MutexLock lock(mutex_);
  if (!waiting_.empty()) std::swap(waiting_, batch);
}

Status BatchWriter::wait() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return waiting_.empty() && !busy_; });
  return failure();
}

Result<std::vector<store::Outcome>> BatchWriter::write(Batch& batch) {
  std::vector<store::Outcome> outcomes;
  std::chrono::steady_clock::duration taken{};
  for (auto rest = batch.writes(); !rest.empty(); rest = batch.writes().subspan(outcomes.size())) {
    LADDER_TRY(const auto some, patiently(store_, observer_, [&]() -> Result<std::vector<store::Outcome>> {
                 const auto began = std::chrono::steady_clock::now();
                 auto written = store_.write(target_, rest, clock_.now());
                 if (written) taken += std::chrono::steady_clock::now() - began;
                 return written;
               }));
    outcomes.insert(outcomes.end(), some.begin(), some.end());
  }
  budget_.learn(batch, taken);
  return outcomes;
}

void BatchWriter::enter(Batch& batch, const std::vector<store::Outcome>& outcomes) {
  ledger_.enter(batch, outcomes);
  if (observer_.wants_stop()) stopping_.store(true, std::memory_order_relaxed);
}

void BatchWriter::run() {
  while (take_waiting()) {
    std::exception_ptr thrown;
    std::optional<Error> failed;
    try {
      if (auto outcomes = write(in_hand_)) {
        enter(in_hand_, *outcomes);
      } else {
        failed = std::move(outcomes).error();
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    in_hand_.clear();
    {
      const MutexLock lock(mutex_);
      busy_ = false;
      thrown_ = thrown;
      failure_ = std::move(failed);
      if (thrown_ || failure_) waiting_.clear();  // nothing comes after a failure
    }
    changed_.notify_all();
  }
}

bool BatchWriter::take_waiting() {
  {
    MutexLock lock(mutex_);
    if (thrown_ || failure_) return false;
    changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return closing_ || !waiting_.empty(); });
    if (closing_) return false;
    std::swap(in_hand_, waiting_);
    busy_ = true;
  }
  changed_.notify_all();
  return true;
}

}  // namespace ladder::rs

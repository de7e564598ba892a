// The writing thread and its hand-over. `idle_` is the hand-over: whoever finds it true owns in_hand_ and the ledger.
#include "rs/ingest_writer.h"

#include <utility>

namespace ladder::rs {

BatchWriter::BatchWriter(store::Store& store, const store::WriteTarget& target, const Clock& clock, IngestObserver& observer,
                         IngestLedger& ledger)
    : store_(store), target_(target), clock_(clock), observer_(observer), ledger_(ledger), thread_([this] { run(); }) {}

BatchWriter::~BatchWriter() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

Status BatchWriter::submit(Batch& batch) {
  LADDER_CHECK(wait());
  if (batch.empty()) return {};
  {
    const std::scoped_lock lock(mutex_);
    std::swap(in_hand_, batch);
    idle_.store(false, std::memory_order_release);
  }
  changed_.notify_all();
  batch.clear();
  return {};
}

Status BatchWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return idle(); });
  if (thrown_) std::rethrow_exception(thrown_);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

Result<std::vector<store::Outcome>> BatchWriter::write(Batch& batch) {
  if (batch.writes().empty()) return std::vector<store::Outcome>();
  return patiently(store_, observer_, [&]() -> Result<std::vector<store::Outcome>> {
    const auto began = std::chrono::steady_clock::now();
    auto outcomes = store_.write(target_, batch.writes(), clock_.now());
    if (outcomes) budget_.learn(batch, std::chrono::steady_clock::now() - began);
    return outcomes;
  });
}

void BatchWriter::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !idle(); });
      if (idle()) return;
    }
    try {
      finish_in_hand();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    {
      const std::scoped_lock lock(mutex_);
      idle_.store(true, std::memory_order_release);
    }
    changed_.notify_all();
  }
}

void BatchWriter::finish_in_hand() {
  auto outcomes = write(in_hand_);
  if (!outcomes) {
    failure_ = std::move(outcomes).error();
    return;
  }
  enter(in_hand_, *outcomes);
}

void BatchWriter::enter(Batch& batch, const std::vector<store::Outcome>& outcomes) {
  ledger_.enter(batch, outcomes);
  if (observer_.wants_stop()) stopping_.store(true, std::memory_order_relaxed);
}

}  // namespace ladder::rs

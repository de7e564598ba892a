// Retry times.
#include "server/ingest/ingest_writer.h"

#include "store/index/field_index.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

namespace ladder::server {
namespace {

constexpr int kTriesOfAFile = 3;
constexpr std::chrono::milliseconds kMaxPause{2000};

}  // namespace

bool RetryPolicy::should_retry(const Error& error) {
  if (error.code != Code::kStoreUnavailable) return false;
  const auto now = std::chrono::steady_clock::now();
  if (++tries_ == 1) began_ = now;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(began_ + observer_.retry_time() - now);
  const bool enough = server_ ? left.count() <= 0 : tries_ >= kTriesOfAFile;
  if (enough || observer_.wants_stop()) return false;
  std::this_thread::sleep_for(server_ ? std::min(pause_, left) : pause_);
  pause_ = std::min(2 * pause_, kMaxPause);
  return true;
}

// The writer thread. A batch moves from the caller to waiting_, then to in_hand_, and returns empty.

IngestWriter::IngestWriter(SharedState& shared, const store::WriteTarget& target, const IngestTarget& names,
                           IngestObserver& observer, IngestProgress& ledger, bool checks_owner)
    : store_(shared.store),
      quotas_(shared.quotas),
      checks_owner_(checks_owner),
      target_(target),
      names_(names),
      clock_(shared.clock),
      observer_(observer),
      ledger_(ledger),
      budget_(target.in_bulk),
      thread_([this] { run(); }) {}

IngestWriter::~IngestWriter() {
  {
    const MutexLock lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
}

Status IngestWriter::failure() const {
  if (thrown_) std::rethrow_exception(thrown_);
  if (failure_) return std::unexpected(*failure_);
  return {};
}

Status IngestWriter::submit(Batch& batch) {
  {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return waiting_.empty(); });
    LADDER_CHECK(failure());
    std::swap(waiting_, batch);
  }
  changed_.notify_all();
  return {};
}

void IngestWriter::reclaim(Batch& batch) {
  const MutexLock lock(mutex_);
  if (!waiting_.empty()) std::swap(waiting_, batch);
}

Status IngestWriter::wait() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return waiting_.empty() && !busy_; });
  return failure();
}

Result<bool> IngestWriter::refresh_erased() {
  return with_retries(store_, observer_,
                      [&] { return erased_.refresh(store_, target_.owner, names_.connection_id, names_.stream); });
}

// Returns for each record of the batch whether it was left out.
std::vector<bool> IngestWriter::leave_out_erased(Batch& batch) {
  std::vector<bool> is_out;
  batch.leave_out([&](const store::RecordWrite& record) {
    is_out.push_back(!record.is_delete && erased_.contains(record.key));
    if (!is_out.back()) return false;
    observer_.saw_key(record.key);
    if (const auto blob = store::index_rows({}, {}, {}, record.body).blob) observer_.left_out_blob(*blob);
    return true;
  });
  return is_out;
}

// Deletes the records of a written batch that the owner has erased since the keys were read.
Status IngestWriter::take_back(Batch& batch, std::vector<store::Outcome>& outcomes) {
  std::vector<store::RecordWrite> deletions;
  for (const store::RecordWrite& record : batch.writes()) {
    if (record.is_delete || !erased_.contains(record.key)) continue;
    store::RecordWrite& deletion = deletions.emplace_back();
    deletion.is_delete = true;
    deletion.key = record.key;
    deletion.emitted_at = format_time(clock_.now());
  }
  const store::WriteTarget target{.owner = target_.owner, .stream = target_.stream, .fields = {}, .drops_blobs = true};
  for (std::span<store::RecordWrite> rest = deletions; !rest.empty();) {
    LADDER_TRY(const auto done, with_retries(store_, observer_, [&] { return store_.write(target, rest, clock_.now()); }));
    rest = rest.subspan(done.size());
  }
  const std::vector<bool> is_out = leave_out_erased(batch);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!is_out[i]) outcomes[kept++] = outcomes[i];
  }
  outcomes.resize(kept);
  return {};
}

Result<std::vector<store::Outcome>> IngestWriter::write(Batch& batch) {
  std::vector<store::Outcome> outcomes;
  std::chrono::steady_clock::duration taken{};
  if (observer_.leaves_out_erased()) {
    LADDER_CHECK(refresh_erased());
    leave_out_erased(batch);
  }
  const bool adds = std::ranges::any_of(batch.writes(), [](const store::RecordWrite& record) { return !record.is_delete; });
  const auto added_bytes = adds ? std::optional(static_cast<std::int64_t>(batch.bytes())) : std::nullopt;
  LADDER_CHECK(with_retries(store_, observer_,
                            [&] { return checks_owner_ ? quotas_.admit_write(target_.owner, added_bytes) : Status{}; }));
  for (auto rest = batch.writes(); !rest.empty(); rest = batch.writes().subspan(outcomes.size())) {
    LADDER_TRY(const auto some, with_retries(store_, observer_, [&]() -> Result<std::vector<store::Outcome>> {
                 const auto began = std::chrono::steady_clock::now();
                 auto written = store_.write(target_, rest, clock_.now());
                 if (written) taken += std::chrono::steady_clock::now() - began;
                 return written;
               }));
    outcomes.insert(outcomes.end(), some.begin(), some.end());
  }
  budget_.learn(batch, taken);
  if (observer_.leaves_out_erased() && !outcomes.empty()) {
    // The owner may have erased a record after the keys were read and before it was written.
    LADDER_TRY(const bool has_more, refresh_erased());
    if (has_more) LADDER_CHECK(take_back(batch, outcomes));
  }
  return outcomes;
}

void IngestWriter::enter(Batch& batch, const std::vector<store::Outcome>& outcomes) {
  ledger_.enter(batch, outcomes);
  if (observer_.wants_stop()) stopping_.store(true, std::memory_order_relaxed);
}

void IngestWriter::run() {
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
      if (thrown_ || failure_) waiting_.clear();  // no batch is written after a failure
    }
    changed_.notify_all();
  }
}

bool IngestWriter::take_waiting() {
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

}  // namespace ladder::server

// Filling a batch, and how large one may become.
#include "rs/ingest_batch.h"

#include "base/limits.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr std::size_t kLeastWork = 128;   // below this a transaction is mostly its own overhead
constexpr std::size_t kWorkBytes = 2048;  // so many bytes cost about as much as one more row

}  // namespace

// The aim is half of what a write transaction may last.
constinit const BatchBudget::Limits BatchBudget::kUsual{
    .bytes = 2 * limits::kMiB, .work = 2400, .lines = 2000, .aim = std::chrono::milliseconds(25)};
// Pages that many records touch are written once per transaction, and the word index puts its parts together less often: the
// larger, the quicker (measured over 200 MB of chats: 4.3 s, and 6.8 s with the usual ones).
constinit const BatchBudget::Limits BatchBudget::kInBulk{
    .bytes = 8 * limits::kMiB, .work = 24'000, .lines = 20'000, .aim = std::chrono::milliseconds(200)};

store::RecordWrite& Batch::open_slot() {
  if (writes_.size() == origins_.size()) writes_.emplace_back();
  store::RecordWrite& slot = writes_[origins_.size()];
  slot.is_delete = slot.staged = false;
  slot.consent_time.reset();
  slot.body.clear();
  slot.first_value = 0;
  slot.value_count = 0;
  slot.values.chunks.clear();
  slot.values.directory.clear();
  slot.words = {};
  return slot;
}

void Batch::keep(const LineOrigin& origin, std::size_t bytes) {
  origins_.push_back(origin);
  ++lines_;
  last_line_ = origin.line;
  bytes_ += bytes;
  work_ += 1 + bytes / kWorkBytes;
}

void Batch::refuse(Refused refused) {
  ++lines_;
  last_line_ = refused.origin.line;
  refused_.push_back(std::move(refused));
}

void Batch::clear() {
  origins_.clear();
  refused_.clear();
  lines_ = last_line_ = 0;
  bytes_ = work_ = 0;
}

bool BatchBudget::reached(const Batch& batch) const {
  return batch.lines() >= limits_.lines || batch.bytes() >= limits_.bytes ||
         batch.work() >= work_.load(std::memory_order_relaxed);
}

void BatchBudget::learn(const Batch& batch, std::chrono::steady_clock::duration taken) {
  const std::size_t allowed = work_.load(std::memory_order_relaxed);
  if (2 * batch.work() <= allowed) return;  // one that was not filled tells little: its time is waiting and overhead
  std::size_t next = taken < limits_.aim / 2 ? 2 * allowed : allowed + allowed / 8;
  if (taken > limits_.aim) {
    const double share = std::max(0.5, std::chrono::duration<double>(limits_.aim) / std::chrono::duration<double>(taken));
    next = static_cast<std::size_t>(static_cast<double>(allowed) * share);
  }
  work_.store(std::clamp(next, kLeastWork, limits_.work), std::memory_order_relaxed);
}

}  // namespace ladder::rs

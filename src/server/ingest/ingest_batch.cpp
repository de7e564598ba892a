// Fills batches and limits their size.
#include "server/ingest/ingest_batch.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::size_t kMinWork = 128;     // below this, a transaction is mostly overhead
constexpr std::size_t kWorkBytes = 2048;  // this many bytes cost about as much as one more row

}  // namespace

// The target is half of the maximum duration of a write transaction.
constinit const BatchBudget::Limits BatchBudget::kUsual{
    .bytes = 2 * limits::kMiB, .work = 2400, .lines = 2000, .aim = std::chrono::milliseconds(25)};
// Larger transactions write shared pages less often and merge the word index less often (measured on 200 MB of chats:
// 4.3 s instead of 6.8 s).
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
  slot.compressed_body.reset();
  return slot;
}

void Batch::keep(const LineOrigin& origin, std::size_t bytes) {
  origins_.push_back(origin);
  ++lines_;
  last_line_ = origin.line;
  bytes_ += bytes;
  work_ += 1 + bytes / kWorkBytes;
}

void Batch::refuse(RejectedLine refused) {
  ++lines_;
  last_line_ = refused.origin.line;
  refused_.push_back(std::move(refused));
}

void Batch::leave_out(const std::function<bool(const store::RecordWrite&)>& is_erased) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    if (is_erased(writes_[i])) continue;
    if (kept != i) {
      std::swap(writes_[kept], writes_[i]);
      origins_[kept] = origins_[i];
    }
    ++kept;
  }
  left_out_ += static_cast<std::int64_t>(origins_.size() - kept);
  origins_.resize(kept);
}

void Batch::clear() {
  origins_.clear();
  refused_.clear();
  lines_ = last_line_ = left_out_ = 0;
  bytes_ = work_ = 0;
}

bool BatchBudget::reached(const Batch& batch) const {
  return batch.lines() >= limits_.lines || batch.bytes() >= limits_.bytes ||
         batch.work() >= work_.load(std::memory_order_relaxed);
}

void BatchBudget::learn(const Batch& batch, std::chrono::steady_clock::duration taken) {
  const std::size_t allowed = work_.load(std::memory_order_relaxed);
  if (2 * batch.work() <= allowed) return;  // a small batch mostly measures waiting and overhead
  std::size_t next = taken < limits_.aim / 2 ? 2 * allowed : allowed + allowed / 8;
  if (taken > limits_.aim) {
    const double share = std::max(0.5, std::chrono::duration<double>(limits_.aim) / std::chrono::duration<double>(taken));
    next = static_cast<std::size_t>(static_cast<double>(allowed) * share);
  }
  work_.store(std::clamp(next, kMinWork, limits_.work), std::memory_order_relaxed);
}

// Counts outcomes, lists rejections, and formats the receipt as JSON.

namespace {

constexpr std::string_view kReceiptVersion = "record-rejection-v2";

}  // namespace

std::string receipt_id(std::string_view owner, std::string_view connection_id, std::string_view stream,
                       const store::Digest& line_digest, std::string_view code) {
  json::Writer out;
  out.begin_array().string(owner).string(connection_id).string(stream);
  out.string(to_hex(crypto::view(line_digest))).string(code).string(kReceiptVersion).end_array();
  return to_hex(crypto::view(crypto::sha256(out.text())));
}

IngestProgress::IngestProgress(std::string owner, const IngestTarget& target, IngestObserver& observer)
    : owner_(std::move(owner)), connection_id_(target.connection_id), observer_(observer) {
  report_.stream = target.stream;
}

void IngestProgress::enter(Batch& batch, std::span<const store::Outcome> outcomes) {
  report_.erased += batch.left_out();
  report_.accepted += batch.left_out();
  for (std::size_t index = 0; index < outcomes.size(); ++index) {
    if (const store::RecordWrite& write = batch.writes()[index]; !write.is_delete) observer_.saw_key(write.key);
    count(batch.origins()[index], outcomes[index], batch);
  }
  auto& refused = batch.refused();
  std::ranges::stable_sort(refused, {}, [](const RejectedLine& each) { return each.origin.line; });
  for (RejectedLine& each : refused) {
    if (report_.rejections.size() == kMaxListedRejections) break;
    const std::string_view code = each.error.wire();
    report_.rejections.push_back({each.origin.input_index, each.origin.line, std::string(code), std::move(each.error.message),
                                  receipt_id(owner_, connection_id_, report_.stream, each.origin.digest, code)});
  }
  report_.rejected += static_cast<std::int64_t>(refused.size());
  report_.attempted += batch.lines();
  durable_line_ = batch.last_line();
  observer_.durable_through(durable_line_, report_);
}

void IngestProgress::count(const LineOrigin& origin, store::Outcome outcome, Batch& batch) {
  switch (outcome) {
    case store::Outcome::kAdded:
      ++report_.added;
      break;
    case store::Outcome::kChanged:
      ++report_.changed;
      break;
    case store::Outcome::kUnchanged:
      ++report_.unchanged;
      break;
    case store::Outcome::kDeleted:
      ++report_.deleted;
      break;
    case store::Outcome::kAbsent:
      ++report_.absent;
      break;
    case store::Outcome::kAppendOnly:
      // The sort in enter() restores the line order; the line was already counted by keep().
      batch.refused().push_back({origin,
                                 {Code::kInvalidRecord,
                                  "append_only: the stream has a record of this key with other data, and what is there never "
                                  "changes; give new data a new key"}});
      return;
    case store::Outcome::kStagingLost:  // handled by the writer of the batch
      return;
  }
  ++report_.accepted;
  report_.replaced_surrogates += origin.lone_surrogates;
}

Error IngestProgress::interrupted(Error error) const {
  error.message +=
      format("; {} lines are stored and {} rejected, through line {}: sending the same input again is safe and continues there",
             report_.accepted, report_.rejected, durable_line_);
  return error;
}

std::string to_json(const IngestReport& report) {
  json::Writer out;
  out.begin_object().member("stream", report.stream);
  out.member("records_attempted", report.attempted).member("records_accepted", report.accepted);
  out.member("records_rejected", report.rejected).key("errors").begin_array().end_array().key("rejections").begin_array();
  for (const Rejection& rejection : report.rejections) {
    out.begin_object().member("input_index", rejection.input_index).member("line", rejection.line);
    out.member("code", rejection.code)
        .member("message", rejection.message)
        .member("receipt_id", rejection.receipt_id)
        .end_object();
  }
  out.end_array().member("added", report.added).member("changed", report.changed).member("unchanged", report.unchanged);
  out.member("deleted", report.deleted).member("absent", report.absent);
  out.member("replaced_surrogates", report.replaced_surrogates).end_object();
  return out.take();
}

}  // namespace ladder::server

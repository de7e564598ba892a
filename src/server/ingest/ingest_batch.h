// A batch is written to the store in one transaction: the prepared records, and the rejected lines between them.
#pragma once

#include "server/ingest/ingest.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// The input line of a record or a rejection.
struct LineOrigin {
  std::int64_t line = 0;
  std::int64_t input_index = 0;
  store::Digest digest{};  // of the line; set only if a receipt may need it
  std::int64_t lone_surrogates = 0;
};

struct RejectedLine {
  LineOrigin origin;
  Error error;
};

// Reused after clear(), so that its strings keep their memory.
class Batch {
 public:
  store::RecordWrite& open_slot();  // returns a slot for the next record, which counts only after keep()
  void keep(const LineOrigin& origin, std::size_t bytes);
  void refuse(RejectedLine refused);
  // Removes the records that the owner has erased; their lines are still counted.
  void leave_out(const std::function<bool(const store::RecordWrite&)>& is_erased);
  std::int64_t left_out() const { return left_out_; }
  void clear();

  bool empty() const { return lines_ == 0; }
  std::int64_t lines() const { return lines_; }
  std::int64_t last_line() const { return last_line_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t work() const { return work_; }
  std::span<store::RecordWrite> writes() { return std::span(writes_).first(origins_.size()); }
  std::span<const LineOrigin> origins() const { return origins_; }
  std::vector<RejectedLine>& refused() { return refused_; }

 private:
  std::vector<store::RecordWrite> writes_;  // the first origins_.size() are in use
  std::vector<LineOrigin> origins_;
  std::vector<RejectedLine> refused_;
  std::int64_t lines_ = 0, last_line_ = 0, left_out_ = 0;
  std::size_t bytes_ = 0, work_ = 0;
};

// Limits the size of a transaction, based on the duration of recent ones, so that other writers don't wait long
// (design D17). Read by the thread that fills batches while another one writes.
class BatchBudget {
 public:
  explicit BatchBudget(bool in_bulk) : limits_(in_bulk ? kInBulk : kUsual) {}

  bool reached(const Batch& batch) const;
  void learn(const Batch& batch, std::chrono::steady_clock::duration taken);

 private:
  struct Limits {
    std::size_t bytes = 0, work = 0;
    std::int64_t lines = 0;
    std::chrono::milliseconds aim{};
  };
  static const Limits kUsual, kInBulk;

  const Limits& limits_;
  std::atomic<std::size_t> work_ = 256;
};

// Tracks the outcome of each line in line order, and which lines are durable. Not thread-safe.
class IngestProgress {
 public:
  IngestProgress(std::string owner, const IngestTarget& target, IngestObserver& observer);

  // Adds a batch that is durable with these outcomes, and notifies the observer.
  void enter(Batch& batch, std::span<const store::Outcome> outcomes);

  const IngestReport& report() const { return report_; }
  std::int64_t durable_line() const { return durable_line_; }
  // Adds to the error how far the input is stored, and that sending it again is safe.
  Error interrupted(Error error) const;

 private:
  void count(const LineOrigin& origin, store::Outcome outcome, Batch& batch);

  std::string owner_, connection_id_;
  IngestObserver& observer_;
  IngestReport report_;
  std::int64_t durable_line_ = 0;
};

// Stable across replays: equal for the same line, owner, connection and stream (PDPP "ingest").
std::string receipt_id(std::string_view owner, std::string_view connection_id, std::string_view stream,
                       const store::Digest& line_digest, std::string_view code);

}  // namespace ladder::server

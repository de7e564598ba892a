// The books of one ingest: what became of each line, in the order of the lines, and what is durable. One thread at a time.
#pragma once

#include "rs/ingest.h"
#include "rs/ingest_batch.h"
#include "store/store.h"

#include <span>
#include <string>
#include <string_view>

namespace ladder::rs {

class IngestLedger {
 public:
  IngestLedger(std::string owner, const IngestTarget& target, IngestObserver& observer);

  // Enters a batch whose writes are durable and have these outcomes, and tells the observer.
  void enter(Batch& batch, std::span<const store::Outcome> outcomes);

  const IngestReport& report() const { return report_; }
  std::int64_t durable_line() const { return durable_line_; }
  // The error with what the sender needs to go on: how far the input is stored, and that sending it again is safe.
  Error interrupted(Error error) const;

 private:
  void count(const LineOrigin& origin, store::Outcome outcome, Batch& batch);

  std::string owner_, connection_id_;
  IngestObserver& observer_;
  IngestReport report_;
  std::int64_t durable_line_ = 0;
};

// Replay-stable: the same for the same line under the same owner, connection and stream (contract 10.1).
std::string receipt_id(std::string_view owner, std::string_view connection_id, std::string_view stream,
                       const store::Digest& line_digest, std::string_view code);

}  // namespace ladder::rs

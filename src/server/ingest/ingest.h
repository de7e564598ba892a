// Ingest reads RECORD lines and reports the outcome of each. A line is acknowledged once its transaction is on disk.
// A bad line is rejected permanently, with its number and a code, and the rest continues. Repeating the same lines
// changes nothing.
#pragma once

#include "api/blob.h"
#include "base/error/error.h"
#include "server/ingest/line_source.h"
#include "server/shared/shared_state.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

struct IngestTarget {
  std::string connection_id;
  std::string stream;
};

struct Rejection {
  std::int64_t input_index = 0;  // starting at 0, without blank lines
  std::int64_t line = 0;         // starting at 1, as in an editor
  std::string
      code;  // invalid_utf8, malformed_ndjson, invalid_record_identity, invalid_record, stream_not_declared, resource_limit
  std::string message;
  std::string receipt_id;  // equal for the same line, connection and stream
};

struct IngestReport {
  std::string stream;
  std::int64_t attempted = 0, accepted = 0, rejected = 0;
  std::int64_t added = 0, changed = 0, unchanged = 0, deleted = 0, absent = 0;
  std::int64_t erased = 0;               // left out, because the owner erased them
  std::int64_t replaced_surrogates = 0;  // lone surrogate escapes replaced by U+FFFD
  std::vector<Rejection> rejections;     // the first kMaxListedRejections
};

// Counters since process start.
struct IngestFigures {
  std::int64_t running = 0, finished = 0, failed = 0;
  std::int64_t stored = 0, unchanged = 0, rejected = 0;  // records; stored: new, changed or deleted
};

// Counts ingests and their records. Thread-safe.
class IngestCounts {
 public:
  void begin() { running_.fetch_add(1, std::memory_order_relaxed); }
  void end(bool finished);
  void add(const IngestReport& since, const IngestReport& upto);
  IngestFigures figures() const;

 private:
  std::atomic<std::int64_t> running_ = 0, finished_ = 0, failed_ = 0, stored_ = 0, unchanged_ = 0, rejected_ = 0;
};

inline constexpr std::size_t kMaxListedRejections = 10'000;

std::string to_json(const IngestReport& report);  // the receipt in the REST response

// Receives progress as records become durable. Its methods may be called on another thread than the caller's while
// ingest runs, so that a line is acknowledged while the next one is awaited. Calls of durable_through never overlap,
// and none occurs after ingest returns.
class IngestObserver {
 public:
  virtual ~IngestObserver() = default;
  // All lines up to and including this one are stored or rejected.
  virtual void durable_through(std::int64_t line, const IngestReport& so_far) = 0;
  virtual bool wants_stop() {
    return false;
  }  // checked between batches and retries; lines that are not durable by then are dropped
  // Returns true for bulk input without a client waiting for single lines: transactions are large, may be cut short
  // for other writers, and use more memory.
  virtual bool in_bulk() const { return false; }
  // Returns true for imports and syncs: records that the owner erased do not come back.
  virtual bool leaves_out_erased() const { return false; }
  // Receives the key of every record that is stored or left out, on the thread that calls durable_through.
  virtual void saw_key(std::string_view /*key*/) {}
  // Receives the blob of every record that is left out, on the thread that writes. See drop_unused_blobs().
  virtual void left_out_blob(const store::Digest& /*blob*/) {}
  // Returns how long the ingest waits for a lost database server before it fails.
  virtual std::chrono::milliseconds retry_time() const { return std::chrono::minutes(1); }
};

struct NewBlob {
  std::string mime_type, bytes;
};

// Stores records and blobs. Every operation returns kPermission for a client's access. Thread-safe.
class Ingest {
 public:
  explicit Ingest(SharedState& shared) : shared_(shared) {}

  Result<IngestReport> put_records(const Access& access, const IngestTarget& target, LineSource& lines, IngestObserver& observer);
  // Deletes the records with these keys, as their source has deleted them, and returns how many existed. They come back if the
  // source sends them again.
  Result<std::int64_t> remove_records(const Access& access, const IngestTarget& target, std::span<const std::string> keys,
                                      IngestObserver& observer);
  // Stores a content-addressed blob. Returns the stored metadata; an existing blob keeps its first MIME type.
  Result<api::Blob> put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes);
  // Stores several blobs in one call, which is much faster for small ones. The observer decides how long to wait for
  // a lost database.
  Status put_blobs(const Access& access, std::span<const NewBlob> blobs, IngestObserver& observer);
  // Removes those of the blobs that no record of the owner refers to. An import stores a blob before it knows that its record
  // is left out, and calls this when all its records are stored.
  Status drop_unused_blobs(const Access& access, std::span<const store::Digest> blobs, IngestObserver& observer);
  IngestFigures figures() const { return counts_.figures(); }

 private:
  SharedState& shared_;
  IngestCounts counts_;
};

}  // namespace ladder::server

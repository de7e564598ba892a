// Ingest: RECORD lines in, one receipt per line out. A line is acknowledged when its transaction is on disk; a bad line is
// rejected for good, with its number and a code, and the rest goes on. The same lines again change nothing.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// Bytes from outside, in pieces.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the buffer with up to `capacity` bytes; 0 at the end. An error of the medium ends the ingest after what came before it.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

struct Line {
  std::string_view text;      // without the line end; valid until the next call
  std::int64_t number = 0;    // from 1
  bool too_long = false;      // over kMaxLineBytes; text is empty, the line has been skipped
  crypto::Digest digest{};    // of the whole line, when it is too long to be held
  bool unterminated = false;  // the last line, without a line end
};

// Splits bytes into lines, holding one line at a time in a buffer that grows by remapping, not copying. A line ends with LF or
// CRLF; a byte order mark before the first one is no part of it.
class LineSource {
 public:
  explicit LineSource(ByteSource& bytes, std::size_t max_line_bytes);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  Result<bool> next(Line& line);  // false at the end
  bool ready();                   // whether next() has its line already and will not wait for the medium
  std::int64_t bytes_read() const { return total_; }

 private:
  Result<bool> skip_line(Line& line);
  bool hand_out(Line& line, std::size_t length);
  void make_room();
  Result<std::size_t> read_more();

  ByteSource& bytes_;
  std::size_t max_line_bytes_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0, scanned_ = 0;
  std::int64_t total_ = 0, number_ = 0;
  bool finished_ = false;
};

struct IngestTarget {
  std::string connection_id;
  std::string stream;
};

struct Rejection {
  std::int64_t input_index = 0;  // from 0, blank lines not counted
  std::int64_t line = 0;         // from 1, as an editor counts
  std::string
      code;  // invalid_utf8, malformed_ndjson, invalid_record_identity, invalid_record, stream_not_declared, resource_limit
  std::string message;
  std::string receipt_id;  // the same for the same line under the same connection and stream
};

struct IngestReport {
  std::string stream;
  std::int64_t attempted = 0, accepted = 0, rejected = 0;
  std::int64_t added = 0, changed = 0, unchanged = 0, deleted = 0, absent = 0;
  std::int64_t replaced_surrogates = 0;  // lone surrogate escapes that became U+FFFD
  std::vector<Rejection> rejections;     // the first kMaxListedRejections of them
};

// Totals of a process since it began.
struct IngestFigures {
  std::int64_t running = 0, finished = 0, failed = 0;
  std::int64_t stored = 0, unchanged = 0, rejected = 0;  // records; stored: new, changed or deleted
};

// Counts them. Thread-safe.
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

std::string to_json(const IngestReport& report);  // the receipt of the REST route

// Told what is durable, as it becomes so. While ingest runs its methods may be called from another thread than the caller's, so
// that a line is acknowledged while the next is still awaited; durable_through never twice at a time, and none after ingest
// returns.
class IngestObserver {
 public:
  virtual ~IngestObserver() = default;
  // Lines up to and including this one are acknowledged or rejected; nothing before it is outstanding.
  virtual void durable_through(std::int64_t line, const IngestReport& so_far) = 0;
  virtual bool wants_stop() { return false; }  // asked between batches and between tries; what is not durable then is left undone
  // Much comes and nobody waits for a single line: large transactions, which others may cut short, and more memory.
  virtual bool in_bulk() const { return false; }
  // How long a database server that went away is waited for before the ingest gives up.
  virtual std::chrono::milliseconds retry_time() const { return std::chrono::minutes(1); }
};

}  // namespace ladder::server

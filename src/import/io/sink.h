// Receives the records that a format reads. Every call is written to the parent process in order; memory use does not
// grow with the number of calls.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/io/bytes.h"
#include "import/wire/messages.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

struct Record {
  std::string_view stream;  // the name in the declaration
  std::string_view data;    // a JSON object in valid UTF-8 with the stream's primary key fields; no line breaks outside strings
  wire::FileLocation at;    // where it was read
  std::optional<Instant> time;       // the record's time for the covered period; empty if it has none
  std::string_view key = {};         // JSON; set only if the key cannot be built from the data
  std::string_view emitted_at = {};  // RFC 3339; empty: now
};

class Sink {
 public:
  virtual ~Sink() = default;

  // An error from any of these functions means that the parent has exited: return it at once.
  virtual Status record(const Record& record) = 0;

  // Sends a record whose data is too large for memory: exactly `size` bytes of `data` (`head.data` is empty). If `data`
  // fails or ends early, the rest of the unit cannot be read.
  virtual Status long_record(Record head, Bytes& data, std::uint64_t size) {
    std::string whole(size, '\0');
    for (std::size_t at = 0; at < size;) {
      LADDER_TRY(const std::size_t count, data.read(whole.data() + at, size - at));
      if (count == 0) return fail(Code::kInvalidRequest, "the file ends in the middle of a record");
      at += count;
    }
    head.data = whole;
    return record(head);
  }

  // Stores bytes as a blob. Returns the JSON object for the record's `blob_ref` field,
  // {"blob_id","mime_type","sha256","size_bytes"}; send the record afterwards. kResourceLimit (over kMaxBlobBytes) and
  // errors of `bytes` concern only this entry: report it with lost() and continue.
  virtual Result<std::string> blob(std::string_view mime_type, Bytes& bytes) = 0;

  // Reports something that should have become a record but could not. The reason is a sentence without a period.
  virtual Status lost(const wire::FileLocation& at, std::string_view reason) = 0;
  // Reports something left out on purpose ("a system message without text"). Skipped items are counted by reason.
  virtual Status skipped(std::string_view stream, std::string_view reason) = 0;

  // Reports a record that its source has deleted, by its key. Only a program of the owner knows them.
  virtual Status gone(std::string_view /*stream*/, std::string_view /*key*/) { return {}; }
  // Reports that the unit sent every record of its source, so that all others are gone.
  virtual Status complete() { return {}; }

  // Marks everything before it as sent. After a crash, read() is called with the latest position. The position is a
  // short text that only the format understands (at most kMaxPositionBytes). Call it after every file, or every few
  // hundred records of a long one; it is cheap, and most positions are dropped.
  virtual Status checkpoint(std::string_view position) = 0;
};

using wire::kMaxPositionBytes;

// Discards everything. Used to examine a file whose losses are reported elsewhere.
class NullSink final : public Sink {
 public:
  Status record(const Record&) override { return {}; }
  Result<std::string> blob(std::string_view, Bytes&) override { return std::string(); }
  Status lost(const wire::FileLocation&, std::string_view) override { return {}; }
  Status skipped(std::string_view, std::string_view) override { return {}; }
  Status checkpoint(std::string_view) override { return {}; }
};

}  // namespace ladder::imports

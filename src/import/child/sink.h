// Receives what a format reads. Every call is written to the parent process in order; memory does not grow with their
// number.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "import/tree/bytes.h"
#include "import/wire/messages.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

struct Record {
  std::string_view stream;  // as the declaration names it
  std::string_view data;  // a JSON object of valid UTF-8 that holds the stream's primary key fields; no line ends outside strings
  imports::wire::Place at;           // where it was read
  std::optional<Instant> time;       // what "period covered" counts; none when it has none
  std::string_view key = {};         // JSON, where it can't be made from the data
  std::string_view emitted_at = {};  // RFC 3339; empty: now
};

class Sink {
 public:
  virtual ~Sink() = default;

  // A failure of any of these means that the parent went away: return it at once.
  virtual Status record(const Record& record) = 0;

  // The same with data that is too long to be held: exactly so many bytes of it (`head.data` is empty). What `data` fails with,
  // or that it ends early, means that nothing more can be read.
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

  // Bytes kept as a blob. Returns the JSON object for the record's `blob_ref` field,
  // {"blob_id","mime_type","sha256","size_bytes"}; send the record after it. kResourceLimit over kMaxBlobBytes and whatever
  // `bytes` fails with are the entry's fault: tell with lost() and go on.
  virtual Result<std::string> blob(std::string_view mime_type, Bytes& bytes) = 0;

  // Something that should have become a record and could not. The reason is a sentence without a full stop.
  virtual Status lost(const imports::wire::Place& at, std::string_view reason) = 0;
  // Something left out on purpose ("a system message without text"): counted by reason.
  virtual Status skipped(std::string_view stream, std::string_view reason) = 0;

  // Everything before this is sent: after a crash or a kill, read() is called with this position again. A short text that only
  // the format understands (at most kMaxPositionBytes). Call it after every file, or every few hundred records of a long one; it
  // is cheap, and most are dropped on the way.
  virtual Status checkpoint(std::string_view position) = 0;
};

using imports::wire::kMaxPositionBytes;

// The null sink keeps nothing: for a look at a file whose losses are told elsewhere.
class NullSink final : public Sink {
 public:
  Status record(const Record&) override { return {}; }
  Result<std::string> blob(std::string_view, Bytes&) override { return std::string(); }
  Status lost(const imports::wire::Place&, std::string_view) override { return {}; }
  Status skipped(std::string_view, std::string_view) override { return {}; }
  Status checkpoint(std::string_view) override { return {}; }
};

}  // namespace ladder::imports

// Exports all records of a stream in key order, byte for byte as stored. Long values are streamed in pieces, so
// memory use is bounded.
#pragma once

#include "base/error/error.h"
#include "server/shared/shared_state.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::server {

// Receives the records of a stream. Any error ends the export.
class RecordsOut {
 public:
  virtual ~RecordsOut() = default;
  // Returns false for a record that is to be left out; its values are not read.
  virtual Result<bool> wants(const store::RecordRow& /*row*/) { return true; }
  // Starts a record. `key` is JSON: a string, or an array for a compound key.
  virtual Status begin(std::string_view key, std::string_view emitted_at) = 0;
  virtual Status data(std::string_view piece) = 0;
  // Completes the record. `blob_id` is the target of its blob_ref; nullopt if it has none.
  virtual Status end(const std::optional<std::string>& blob_id) = 0;
  // Discards the record, which changed during the read. It is sent again unless it was deleted.
  virtual Status discard() = 0;
  // Reports a damaged record or field. The export continues without the record; if it was started, discard() was
  // called first.
  virtual Status damaged(std::string_view key, std::string_view field) = 0;
};

class Exports {
 public:
  explicit Exports(SharedState& shared) : shared_(shared) {}

  // Owner only. kConnectionNotFound, kStreamNotDeclared, or any error of `out`.
  Status write_stream(const Access& access, std::string_view connection_id, std::string_view stream, RecordsOut& out);

 private:
  SharedState& shared_;
};

}  // namespace ladder::server

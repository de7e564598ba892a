// Everything of a stream, written out: records in the order of their keys, each byte for byte as the store has it, a long value
// piece by piece, so that memory does not grow with it.
#pragma once

#include "base/error/error.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::server {

// A source as it was declared.
struct SourceDocument {
  std::string key, source_id, version, declaration;
};

// Receives the records of a stream. A failure of any of these ends the export.
class RecordsOut {
 public:
  virtual ~RecordsOut() = default;
  // A record begins. `key` is JSON: a string, or an array of them for a compound key.
  virtual Status begin(std::string_view key, std::string_view emitted_at) = 0;
  virtual Status data(std::string_view piece) = 0;
  // It is complete. `blob_id` is what its blob_ref names; nullopt when it has none.
  virtual Status end(const std::optional<std::string>& blob_id) = 0;
  // It changed while it was read: as if it had not begun. It begins anew, or is gone.
  virtual Status take_back() = 0;
  // It is damaged in the store, or one of its fields is (then it had begun and was taken back): the export goes on without it.
  virtual Status damaged(std::string_view key, std::string_view field) = 0;
};

}  // namespace ladder::server

// The RECORD line sent by a producer: {"stream","key","data","emitted_at","op"}. Contains views into the line; nothing
// is copied.
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

struct Envelope {
  std::optional<std::string> stream;  // absent if the caller provides it
  std::optional<json::Value> key;     // absent: derived from the primary key fields in data
  json::Value data;                   // an object; kNull kind and empty text for a delete without data
  std::string emitted_at;             // RFC 3339 as received; empty if absent
  bool is_delete = false;
};

// Parses one checked line. kMalformedNdjson if it is not an object; kInvalidRecord for members of wrong type, an
// unknown op, an invalid emitted_at, duplicate top-level members of the envelope or of data, or an upsert without data.
// Unknown members of the envelope (such as "type":"RECORD") are ignored.
Result<Envelope> read_envelope(std::string_view checked_line);

// Checks that the names in data are distinct and not too many: kInvalidRecord.
Status check_data_names(std::string_view object_text);

}  // namespace ladder::model

// The RECORD line a producer sends: {"stream","key","data","emitted_at","op"}. Views into the line; nothing is copied.
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::model {

struct Envelope {
  std::optional<std::string> stream;  // absent when the caller names it
  std::optional<json::Value> key;     // absent: made from the primary key fields in data
  json::Value data;                   // an object; kNull kind and empty text for a delete without data
  std::string emitted_at;             // RFC 3339 as it came; empty when absent
  bool is_delete = false;
};

// From one checked line. kMalformedNdjson when it is not an object; kInvalidRecord on members of wrong type, an unknown op, an
// emitted_at that is no time, duplicate top-level members of the envelope or of data, or an upsert without data. Unknown members
// of the envelope (such as "type":"RECORD") are ignored.
Result<Envelope> read_envelope(std::string_view checked_line);

// Checks that names in data differ and are not too many: kInvalidRecord.
Status check_data_names(std::string_view object_text);

}  // namespace ladder::model

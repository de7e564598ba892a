#include "json/error_details.h"

namespace ladder::json {

void write_details(Writer& out, const ErrorDetails& details) {
  out.optional_member("rule", details.rule).optional_member("record", details.record);
  out.optional_member("field_path", details.field_path).optional_member("digest", details.digest);
  if (details.size_chars >= 0) out.member("size_chars", details.size_chars);
  if (details.resume_offset_chars >= 0) out.member("resume_offset_chars", details.resume_offset_chars);
  if (details.retry_after_seconds >= 0) out.member("retry_after_seconds", details.retry_after_seconds);
  if (details.available_connections.empty()) return;
  out.key("available_connections").begin_array();
  for (const ConnectionChoice& choice : details.available_connections) {
    out.begin_object().member("connection_id", choice.connection_id);
    out.member("display_name", choice.display_name.empty() ? choice.connection_id : choice.display_name).end_object();
  }
  out.end_array().key("available_sources").begin_array();  // beside them, since PDPP's schema of a choice is closed
  for (const ConnectionChoice& choice : details.available_connections) {
    out.begin_object().member("connection_id", choice.connection_id).optional_member("connector_key", choice.connector_key);
    out.optional_member("stream", choice.stream).end_object();
  }
  out.end_array();
}

}  // namespace ladder::json

#include "mcp/error_text.h"

#include "base/format.h"
#include "base/utf8.h"
#include "mcp/visible.h"

namespace ladder::mcp {
namespace {

// What went wrong in front of what to do; a message that quotes broken text must not break the answer.
std::string message_of(const Error& error) {
  return utf8::is_valid(error.message) ? error.message : std::string(info(error.code).meaning);
}

std::string sentence(const Error& error, const std::optional<ToolCall>& retry) {
  std::string text(error.wire());
  if (error.more && !error.more->field_path.empty()) {
    text += format(" (field {} of record {})", quoted_line(error.more->field_path), plain_or_quoted(error.more->record));
  } else if (error.more && !error.more->record.empty()) {
    text += format(" (record {})", plain_or_quoted(error.more->record));
  }
  text += ": " + one_line(message_of(error));
  if (error.more && error.more->retry_after_seconds >= 0) {
    text += format("; try again after {} second(s)", error.more->retry_after_seconds);
  }
  if (retry) text += format("; go on with {}", line_of(*retry));
  else if (error.more && !error.more->available_connections.empty())
    text += "; call again with one of those connection_id values";
  return text.ends_with('.') || text.ends_with('?') ? text : text + ".";
}

void write_choices(json::Writer& out, const std::vector<ConnectionChoice>& choices) {
  out.key("available_connections").begin_array();
  for (const ConnectionChoice& choice : choices) {
    out.begin_object().member("connection_id", choice.connection_id).optional_member("connector_key", choice.connector_key);
    out.optional_member("stream", choice.stream).optional_member("display_name", choice.display_name).end_object();
  }
  out.end_array();
}

}  // namespace

void write_error(json::Writer& out, const Error& error, const std::optional<ToolCall>& retry) {
  out.member("code", error.wire()).member("message", message_of(error)).optional_member("param", error.param);
  out.member("http_status", error.http_status());
  if (error.more) {
    out.optional_member("rule", error.more->rule);  // how another server named it
    out.optional_member("record", error.more->record).optional_member("field_path", error.more->field_path);
    out.optional_member("digest", error.more->digest);
    if (error.more->size_chars >= 0) out.member("size_chars", error.more->size_chars);
    if (error.more->retry_after_seconds >= 0) out.member("retry_after_seconds", error.more->retry_after_seconds);
    out.optional_member("request_id", error.more->request_id);  // as the server that refused has it in its log
    if (!error.more->available_connections.empty()) write_choices(out, error.more->available_connections);
  }
  if (retry) write_call(out, "retry", *retry);
}

ToolResult error_result(const Error& error, const std::optional<ToolCall>& retry) {
  json::Writer line;
  line.begin_object().key("error").begin_object();
  write_error(line, error, retry);
  line.end_object().end_object();
  ToolResult result;
  result.is_error = true;
  result.outcome = error.wire();
  result.text = visible_json(line.text()) + "\n" + sentence(error, retry);
  return result;
}

}  // namespace ladder::mcp

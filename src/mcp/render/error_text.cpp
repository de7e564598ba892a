#include "mcp/render/error_text.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "mcp/render/fence.h"

namespace ladder::mcp {
namespace {

// The problem comes before the remedy. A message that quotes invalid text must not break the response.
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
    out.optional_member("rule", error.more->rule);  // the original code of another server
    out.optional_member("record", error.more->record).optional_member("field_path", error.more->field_path);
    out.optional_member("digest", error.more->digest);
    if (error.more->size_chars >= 0) out.member("size_chars", error.more->size_chars);
    if (error.more->retry_after_seconds >= 0) out.member("retry_after_seconds", error.more->retry_after_seconds);
    out.optional_member("request_id", error.more->request_id);  // the failed server's request id, as in its log
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

namespace {

ToolCall within(std::string_view tool, std::string_view stream, std::string_view connection_id) {
  json::Writer args;
  args.begin_object().optional_member("stream", stream).optional_member("connection_id", connection_id).end_object();
  return {std::string(tool), args.take()};
}

// The stream does not declare the view or filter; other invalid requests already say what to write.
bool asks_undeclared(const Error& error) { return error.param == "view" || error.param.starts_with("filter"); }

}  // namespace

ToolCall schema_call(std::string_view stream, std::string_view connection_id) { return within("schema", stream, connection_id); }

std::optional<ToolCall> retry_hint(const Error& error, std::string_view stream, std::string_view connection_id) {
  switch (error.code) {
    case Code::kStreamNotAllowed:
    case Code::kStreamNotDeclared:
    case Code::kConnectionNotFound:
      return schema_call({}, {});
    case Code::kUnknownField:
    case Code::kFieldNotGranted:
    case Code::kInvalidSort:
    case Code::kInvalidExpand:
      return schema_call(stream, connection_id);
    case Code::kInvalidRequest:
      if (asks_undeclared(error)) return schema_call(stream, connection_id);
      return std::nullopt;
    case Code::kNotFound:
      if (!stream.empty()) return within("query_records", stream, connection_id);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace ladder::mcp

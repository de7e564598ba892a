#include "mcp/render/calls.h"

#include "api/render/target.h"
#include "mcp/render/fence.h"
#include "model/handle.h"

#include <boost/json/serialize.hpp>

namespace ladder::mcp {
namespace {

json::Writer begin_read(std::string_view id, std::string_view field_path) {
  json::Writer args;
  args.begin_object().member("id", id).member("field_path", field_path);
  return args;
}

}  // namespace

ToolCall read_call(const model::RecordRef& record, std::string_view field_path, const api::Resume& from) {
  return read_call(record, model::format_record_id(record), field_path, from);
}

ToolCall read_call(const model::RecordRef& record, std::string_view id, std::string_view field_path, const api::Resume& from) {
  if (record.connection_id.empty() || from.whole_record) return fetch_call(record);
  json::Writer args = begin_read(id, field_path);
  if (from.q.empty()) args.member("offset_chars", from.offset_chars);
  else args.member("q", from.q);
  args.end_object();
  return {"read_record_field", args.take()};
}

ToolCall cursor_call(const model::RecordRef& record, std::string_view field_path, std::string_view cursor,
                     std::int64_t limit_chars) {
  json::Writer args = begin_read(model::format_record_id(record), field_path);
  args.member("cursor", cursor);
  if (limit_chars > 0) args.member("limit_chars", limit_chars);
  args.end_object();
  return {"read_record_field", args.take()};
}

ToolCall fetch_call(const model::RecordRef& record) {
  json::Writer args;
  args.begin_object().member("id", model::format_record_id(record)).end_object();
  return {"fetch", args.take()};
}

ToolCall next_page_call(std::string_view tool, const boost::json::object& given, std::string_view cursor) {
  json::Writer args;
  args.begin_object();
  for (const auto& [name, value] : given) {
    if (name == "cursor" || name == "changes_since") continue;
    args.key(std::string_view(name.data(), name.size())).raw(boost::json::serialize(value));
  }
  args.member("cursor", cursor).end_object();
  return {std::string(tool), args.take()};
}

std::string more_line(std::string_view tool, const boost::json::object& given, bool has_more, std::string_view cursor) {
  if (!cursor.empty()) return "more: " + line_of(next_page_call(tool, given, cursor));
  return has_more ? std::string(kMoreWithoutCursor) : std::string();
}

std::string line_of(const ToolCall& call) {
  std::string line;
  line.reserve(call.tool.size() + call.args.size() + 16);
  return line.append(call.tool).append(" args=").append(visible_json(call.args));
}

void write_call(json::Writer& out, json::Name key, const ToolCall& call) {
  out.key(key).begin_object().member("tool", call.tool).key("args").raw(call.args).end_object();
}

std::string citation_url(std::string_view provider_url, const model::RecordRef& record) {
  std::string url(provider_url);
  url += api::record_path(record.stream, record.record_id);
  if (!record.connection_id.empty()) url += "?connection_id=" + model::percent_encode(record.connection_id);
  return url;
}

std::string record_uri(const model::RecordRef& record) {
  return std::string(model::kRecordUriPrefix) + model::encode_record_handle(record);
}

std::string record_link(const model::RecordRef& record, std::string_view title) {
  json::Writer out;
  out.begin_object().member("type", "resource_link").member("uri", record_uri(record));
  out.member("name", model::format_record_id(record)).optional_member("title", title).member("mimeType", "application/json");
  return out.end_object().take();
}

std::string window_uri(const model::RecordRef& record, std::string_view field_path, const api::Resume& from) {
  model::FieldWindowHandle handle{record, std::string(field_path), {}};
  if (from.q.empty()) handle.window.offset_chars = from.offset_chars;
  else handle.window.q = from.q;
  return std::string(model::kFieldWindowUriPrefix) + model::encode_field_window_handle(handle);
}

std::string blob_uri(const model::RecordRef& record, std::string_view field_path) {
  return std::string(model::kBlobUriPrefix) + model::encode_blob_handle({record, std::string(field_path), 0, {}});
}

}  // namespace ladder::mcp

#include "mcp/render/content_ladder_json.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

using api::LadderField;
using api::LadderRecord;
using json::Writer;

void write_connection(Writer& out, std::string_view connection_id) {
  out.key("connection_id");
  connection_id.empty() ? out.null() : out.string(connection_id);
}

// Writes the common members of an entry: the field, its type, and how much of it is shown.
void write_identity(Writer& out, const LadderField& field) {
  out.member("field_path", field.path).optional_member("type", field.type);
  out.optional_member("mime_type", field.mime_type).member("text_like", field.text_like);
  if (field.is_json() && !field.is_binary()) out.member("json_field", true);
  if (field.is_binary()) out.member("binary_field", true);
  if (!field.blob) out.member("size_grade", api::size_grade(field.size_chars));
  if (field.size_bytes >= 0) out.member("size_bytes", field.size_bytes);
  else if (field.size_chars >= 0) out.member("size_chars", field.size_chars);
  out.member("preview_status", api::word_of(field.status));
  out.optional_member("digest", field.digest);
}

void write_binary(Writer& out, const model::RecordRef& record, const LadderField& field) {
  out.begin_object();
  write_identity(out, field);
  if (field.blob) {
    out.optional_member("blob_id", field.blob->blob_id).optional_member("fetch_url", field.blob->fetch_url);
  } else {
    out.member("encoding", "base64");
  }
  out.member("resource", blob_uri(record, field.path)).end_object();
}

template <class Chosen, class Write>
void write_fields(Writer& out, json::Name key, const LadderRecord& record, Chosen chosen, Write write) {
  if (std::ranges::none_of(record.fields, chosen)) return;
  out.key(key).begin_array();
  for (const LadderField& field : record.fields) {
    if (chosen(field)) write(field);
  }
  out.end_array();
}

std::string id_of(const LadderRecord& record, std::size_t at, std::span<const std::string_view> ids) {
  return at < ids.size() && !ids[at].empty() ? std::string(ids[at]) : model::format_record_id(record.ref);
}

void write_members(Writer& out, const LadderRecord& record, std::string_view id) {
  out.member("id", id);
  write_connection(out, record.ref.connection_id);
  out.member("stream", record.ref.stream).member("record_id", record.ref.record_id);
  if (record.unavailable) {
    out.member("preview_status", api::word_of(api::PreviewStatus::kUnavailable));
    write_call(out, "read", fetch_call(record.ref));
  }
  const auto is_text = [](const LadderField& field) { return !field.is_binary() && !field.is_json(); };
  const auto is_json = [](const LadderField& field) { return !field.is_binary() && field.is_json(); };
  const auto is_binary = [](const LadderField& field) { return field.is_binary(); };
  const auto write_text = [&](const LadderField& field) {
    out.begin_object();
    write_identity(out, field);
    const auto excerpt = std::ranges::find(record.excerpts, field.path, &api::Excerpt::field_path);
    if (excerpt != record.excerpts.end()) out.member("preview_text", excerpt->preview_text);
    write_call(out, "read", read_call(record.ref, id, field.path, field.resume));
    out.end_object();
  };
  write_fields(out, "field_windows", record, is_text, write_text);
  write_fields(out, "json_fields", record, is_json, write_text);
  write_fields(out, "binary_fields", record, is_binary, [&](const LadderField& field) { write_binary(out, record.ref, field); });
}

// A record that is shown completely needs no entry.
bool has_entry(const LadderRecord& record) { return !record.fields.empty() || record.unavailable; }

void begin_ladder(Writer& out, std::string_view kind) { out.key("content_ladder").begin_object().member("kind", kind); }

}  // namespace

void write_binary_field(Writer& out, const model::RecordRef& record, const LadderField& field) {
  write_binary(out, record, field);
}

void write_ladder(Writer& out, std::string_view kind, std::span<const LadderRecord> records,
                  std::span<const std::string_view> ids) {
  if (std::ranges::none_of(records, has_entry)) return;
  begin_ladder(out, kind);
  out.key("records").begin_array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!has_entry(records[i])) continue;
    out.begin_object();
    write_members(out, records[i], id_of(records[i], i, ids));
    out.end_object();
  }
  out.end_array().end_object();
}

void write_ladder(Writer& out, const LadderRecord& record) {
  begin_ladder(out, "record");
  write_members(out, record, model::format_record_id(record.ref));
  out.end_object();
}

std::string resources_meta(std::span<const LadderRecord> records, std::span<const std::string_view> ids, std::size_t most) {
  if (records.empty()) return {};
  records = records.first(std::min(records.size(), most));
  Writer out;
  out.begin_object().key("dev.pdpp/resources").begin_array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LadderRecord& record = records[i];
    out.begin_object().member("id", id_of(record, i, ids)).member("record_uri", record_uri(record.ref));
    const auto has_uri = [](const LadderField& field) { return !field.resume.whole_record; };
    if (std::ranges::any_of(record.fields, has_uri)) {
      out.key("fields").begin_array();
      for (const LadderField& field : record.fields) {
        if (!has_uri(field)) continue;
        out.begin_object().member("field_path", field.path);
        out.member("uri",
                   field.is_binary() ? blob_uri(record.ref, field.path) : window_uri(record.ref, field.path, field.resume));
        out.end_object();
      }
      out.end_array();
    }
    out.end_object();
  }
  return out.end_array().end_object().take();
}

void write_origin(Writer& out, const Context& context, std::string_view request_id) {
  out.member("provider_url", context.options.provider_url).key("request_id");
  if (request_id.empty()) request_id = context.request_id;
  request_id.empty() ? out.null() : out.string(request_id);
}

}  // namespace ladder::mcp

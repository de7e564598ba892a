#include "mcp/ladder_json.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

using evidence::LadderField;
using evidence::LadderRecord;
using json::Writer;

void write_range(Writer& out, const evidence::CharRange& range) {
  out.key("preview_range").begin_object().member("start_chars", range.start_chars).member("end_chars", range.end_chars);
  out.end_object();
}

// What every entry says: which field, what it is, how much of it is shown.
void write_identity(Writer& out, const LadderField& field) {
  out.member("field_path", field.path).optional_member("type", field.type).optional_member("mime_type", field.mime_type);
  out.member("text_like", field.text_like);
  if (field.is_json() && !field.is_binary()) out.member("json_field", true);
  if (field.is_binary()) out.member("binary_field", true);
  if (!field.blob) out.member("size_grade", evidence::size_grade(field.size_chars));
  if (field.size_chars >= 0) out.member("size_chars", field.size_chars);
  out.member("preview_status", evidence::word_of(field.status));
  if (field.preview) write_range(out, *field.preview);
  out.optional_member("digest", field.digest);
}

template <class Chosen, class Write>
void write_fields(Writer& out, json::Name key, const LadderRecord& record, bool always, Chosen chosen, Write write) {
  if (!always && std::ranges::none_of(record.fields, chosen)) return;
  out.key(key).begin_array();
  for (const LadderField& field : record.fields) {
    if (chosen(field)) write(field);
  }
  out.end_array();
}

// Of records[at]; whatever nobody has made yet is made.
MadeNames names_of(const LadderRecord& record, std::size_t at, std::span<const MadeNames> made, std::string& id) {
  MadeNames names = at < made.size() ? made[at] : MadeNames{};
  if (names.id.empty()) names.id = id = model::format_record_id(record.ref);
  if (record.fields.size() != 1) names.read = nullptr;
  return names;
}

void write_members(Writer& out, const LadderRecord& record, bool calls, const MadeNames& names) {
  out.member("id", names.id).key("connection_id");
  record.ref.connection_id.empty() ? out.null() : out.string(record.ref.connection_id);
  out.member("stream", record.ref.stream).member("record_id", record.ref.record_id);
  if (record.unavailable) out.member("preview_status", evidence::word_of(evidence::PreviewStatus::kUnavailable));
  const auto is_text = [](const LadderField& field) { return !field.is_binary() && !field.is_json(); };
  const auto is_json = [](const LadderField& field) { return !field.is_binary() && field.is_json(); };
  const auto write_text = [&](const LadderField& field) {
    out.begin_object();
    write_identity(out, field);
    if (calls && names.read) write_call(out, "read", *names.read);
    else if (calls) write_call(out, "read", read_call(record.ref, names.id, field.path, field.resume));
    out.end_object();
  };
  write_fields(out, "field_windows", record, true, is_text, write_text);
  write_fields(out, "json_fields", record, false, is_json, write_text);
  const auto is_binary = [](const LadderField& field) { return field.is_binary(); };
  write_fields(out, "binary_fields", record, false, is_binary,
               [&](const LadderField& field) { write_binary_field(out, record.ref, field, calls); });
  if (record.excerpts.empty()) return;
  out.key("evidence_excerpts").begin_array();
  for (const evidence::Excerpt& excerpt : record.excerpts) {
    out.begin_object().member("field_path", excerpt.field_path).member("preview_text", excerpt.preview_text);
    out.member("preview_status", evidence::word_of(excerpt.status)).end_object();
  }
  out.end_array();
}

void begin_ladder(Writer& out, std::string_view kind) {
  out.key("content_ladder").begin_object().member("kind", kind).member("read_tool", "read_record_field");
  out.member("handle_semantics", "live_lookup");
}

}  // namespace

void write_binary_field(Writer& out, const model::RecordRef& record, const LadderField& field, bool handle) {
  out.begin_object();
  write_identity(out, field);
  if (field.blob) {
    out.optional_member("blob_id", field.blob->blob_id).optional_member("fetch_url", field.blob->fetch_url);
    if (field.blob->size_bytes >= 0) out.member("size_bytes", field.blob->size_bytes);
  } else {
    out.member("encoding", "base64");
  }
  if (handle) out.member("resource", blob_uri(record, field.path));
  out.end_object();
}

void write_ladder(Writer& out, std::string_view kind, std::span<const LadderRecord> records, bool calls,
                  std::span<const MadeNames> made) {
  if (records.empty()) return;
  begin_ladder(out, kind);
  out.key("records").begin_array();
  std::string id;
  for (std::size_t i = 0; i < records.size(); ++i) {
    out.begin_object();
    write_members(out, records[i], calls, names_of(records[i], i, made, id));
    out.end_object();
  }
  out.end_array().end_object();
}

void write_ladder(Writer& out, const LadderRecord& record, bool calls) {
  begin_ladder(out, "record");
  std::string id;
  write_members(out, record, calls, names_of(record, 0, {}, id));
  out.end_object();
}

std::string resources_meta(std::span<const LadderRecord> records, std::span<const MadeNames> made) {
  if (records.empty()) return {};
  Writer out;
  std::string id;
  out.begin_object().key("dev.pdpp/resources").begin_array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LadderRecord& record = records[i];
    out.begin_object().member("id", names_of(record, i, made, id).id).member("record_uri", record_uri(record.ref));
    if (!record.fields.empty()) {
      out.key("fields").begin_array();
      for (const LadderField& field : record.fields) {
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

}  // namespace ladder::mcp

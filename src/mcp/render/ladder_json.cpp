#include "mcp/render/ladder_json.h"

#include <algorithm>
#include <optional>

namespace ladder::mcp {
namespace {

using api::LadderField;
using api::LadderRecord;
using json::Writer;

// The members that all records and fields of a ladder share; nothing where they differ.
struct Common {
  std::optional<std::string_view> connection_id, stream, path, type, grade;
  std::optional<bool> text_like;
  std::optional<api::PreviewStatus> status;
};

template <class T>
class Agreement {
 public:
  void see(const T& value) {
    if (!value_) value_ = value;
    else if (*value_ != value) differs_ = true;
  }
  std::optional<T> agreed() const { return differs_ ? std::nullopt : value_; }

 private:
  std::optional<T> value_;
  bool differs_ = false;
};

// Of a single record nothing is gained by naming it apart.
Common common_of(std::span<const LadderRecord> records) {
  Common common;
  if (records.size() < 2) return common;
  Agreement<std::string_view> connection_id, stream, path, type, grade;
  Agreement<bool> text_like;
  Agreement<api::PreviewStatus> status;
  for (const LadderRecord& record : records) {
    connection_id.see(record.ref.connection_id);
    stream.see(record.ref.stream);
    for (const LadderField& field : record.fields) {
      path.see(field.path);
      type.see(field.type);
      grade.see(field.blob ? std::string_view() : api::size_grade(field.size_chars));
      text_like.see(field.text_like);
      status.see(field.status);
    }
  }
  common.connection_id = connection_id.agreed();
  common.stream = stream.agreed();
  common.path = path.agreed();
  common.type = type.agreed();
  if (common.type && common.type->empty()) common.type.reset();
  common.grade = grade.agreed();
  if (common.grade && common.grade->empty()) common.grade.reset();
  common.text_like = text_like.agreed();
  common.status = status.agreed();
  return common;
}

void write_connection(Writer& out, std::string_view connection_id) {
  out.key("connection_id");
  connection_id.empty() ? out.null() : out.string(connection_id);
}

void write_common(Writer& out, const Common& common) {
  const bool any =
      common.connection_id || common.stream || common.path || common.type || common.grade || common.text_like || common.status;
  if (!any) return;
  out.key("common").begin_object();
  if (common.connection_id) write_connection(out, *common.connection_id);
  if (common.stream) out.member("stream", *common.stream);
  if (common.path) out.member("field_path", *common.path);
  if (common.type) out.member("type", *common.type);
  if (common.grade) out.member("size_grade", *common.grade);
  if (common.text_like) out.member("text_like", *common.text_like);
  if (common.status) out.member("preview_status", api::word_of(*common.status));
  out.end_object();
}

// Writes the members of every entry: which field, what it is, how much of it is shown.
void write_identity(Writer& out, const LadderField& field, const Common& common) {
  if (!common.path) out.member("field_path", field.path);
  if (!common.type) out.optional_member("type", field.type);
  out.optional_member("mime_type", field.mime_type);
  if (!common.text_like) out.member("text_like", field.text_like);
  if (field.is_json() && !field.is_binary()) out.member("json_field", true);
  if (field.is_binary()) out.member("binary_field", true);
  if (!field.blob && !common.grade) out.member("size_grade", api::size_grade(field.size_chars));
  if (field.size_chars >= 0) out.member("size_chars", field.size_chars);
  if (!common.status) out.member("preview_status", api::word_of(field.status));
  out.optional_member("digest", field.digest);
}

// The place where reading goes on, as the arguments say it.
void write_resume(Writer& out, const LadderField& field) {
  if (field.resume.q.empty()) out.member("offset_chars", field.resume.offset_chars);
  else out.member("q", field.resume.q);
}

void write_binary(Writer& out, const model::RecordRef& record, const LadderField& field, const Common& common) {
  out.begin_object();
  write_identity(out, field, common);
  if (field.blob) {
    out.optional_member("blob_id", field.blob->blob_id).optional_member("fetch_url", field.blob->fetch_url);
    if (field.blob->size_bytes >= 0) out.member("size_bytes", field.blob->size_bytes);
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

void write_members(Writer& out, const LadderRecord& record, std::string_view id, const Common& common) {
  out.member("id", id);
  if (!common.connection_id) write_connection(out, record.ref.connection_id);
  if (!common.stream) out.member("stream", record.ref.stream);
  // The id says enough of what is not cut.
  if (!record.fields.empty() || record.unavailable) out.member("record_id", record.ref.record_id);
  if (record.unavailable) out.member("preview_status", api::word_of(api::PreviewStatus::kUnavailable));
  const auto is_text = [](const LadderField& field) { return !field.is_binary() && !field.is_json(); };
  const auto is_json = [](const LadderField& field) { return !field.is_binary() && field.is_json(); };
  const auto is_binary = [](const LadderField& field) { return field.is_binary(); };
  const auto write_text = [&](const LadderField& field) {
    out.begin_object();
    write_identity(out, field, common);
    const auto excerpt = std::ranges::find(record.excerpts, field.path, &api::Excerpt::field_path);
    if (excerpt != record.excerpts.end()) out.member("preview_text", excerpt->preview_text);
    write_resume(out, field);
    out.end_object();
  };
  write_fields(out, "field_windows", record, is_text, write_text);
  write_fields(out, "json_fields", record, is_json, write_text);
  write_fields(out, "binary_fields", record, is_binary,
               [&](const LadderField& field) { write_binary(out, record.ref, field, common); });
  // Windows need a connection: where none is known, the record is fetched.
  if (record.ref.connection_id.empty() && !record.fields.empty()) write_call(out, "read", fetch_call(record.ref));
}

void begin_ladder(Writer& out, std::string_view kind) {
  out.key("content_ladder").begin_object().member("kind", kind).member("read_tool", "read_record_field");
  out.member("handle_semantics", "live_lookup");
}

}  // namespace

void write_binary_field(Writer& out, const model::RecordRef& record, const LadderField& field) {
  write_binary(out, record, field, {});
}

void write_ladder(Writer& out, std::string_view kind, std::span<const LadderRecord> records,
                  std::span<const std::string_view> ids) {
  if (records.empty()) return;
  begin_ladder(out, kind);
  const Common common = common_of(records);
  write_common(out, common);
  out.key("records").begin_array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    out.begin_object();
    write_members(out, records[i], id_of(records[i], i, ids), common);
    out.end_object();
  }
  out.end_array().end_object();
}

void write_ladder(Writer& out, const LadderRecord& record) {
  begin_ladder(out, "record");
  write_members(out, record, model::format_record_id(record.ref), {});
  out.end_object();
}

std::string resources_meta(std::span<const LadderRecord> records, std::span<const std::string_view> ids) {
  if (records.empty()) return {};
  Writer out;
  out.begin_object().key("dev.pdpp/resources").begin_array();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LadderRecord& record = records[i];
    out.begin_object().member("id", id_of(record, i, ids)).member("record_uri", record_uri(record.ref));
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

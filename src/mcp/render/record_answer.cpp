#include "mcp/render/record_answer.h"

#include "api/preview.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "mcp/render/calls.h"
#include "mcp/render/fence.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

std::string digest_of(std::string_view text) { return crypto::digest_text(crypto::sha256(text)); }

}  // namespace

void trim_record(api::Record& record, std::int64_t max_chars) {
  if (!record.data.empty()) {
    api::Trimmed trimmed = api::trim(record.data, std::move(record.cut), max_chars, digest_of);
    record.data = std::move(trimmed.data);
    record.cut = std::move(trimmed.cut);
    for (api::CutField& cut : record.cut) {
      const auto declared = std::ranges::find(record.media_types, cut.path, &std::pair<std::string, std::string>::first);
      if (declared != record.media_types.end()) cut.mime_type = declared->second;
    }
  }
  for (api::Expansion& expansion : record.expanded) {
    for (api::Record& child : expansion.records) trim_record(child, max_chars);
  }
}

api::LadderRecord ladder_of(const api::Record& record) {
  api::LadderRecord ladder{record.ref};
  for (const api::CutField& cut : record.cut) ladder.fields.push_back(api::ladder_field(cut));
  if (record.data.empty()) return ladder;
  for (api::LadderField& blob : api::blobs_in(record.data, kMaxBlobs)) ladder.fields.push_back(std::move(blob));
  return ladder;
}

void add_ladder(const api::Record& record, std::vector<api::LadderRecord>& into) {
  into.push_back(ladder_of(record));
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& child : expansion.records) add_ladder(child, into);
  }
}

namespace {

using api::LadderField;

void append_field(std::string& text, const std::string& indent, const model::RecordRef& record, const LadderField& field) {
  const std::string path = plain_or_quoted(field.path);
  if (!field.is_binary()) {
    text += format("{}truncated field={} chars=0..{} of {}{} {}\n", indent, path, field.resume.offset_chars, field.size_chars,
                   field.is_json() ? " type=" + field.type : "", line_of(read_call(record, field.path, field.resume)));
    return;
  }
  text += format("{}binary field={}", indent, path);
  if (!field.mime_type.empty()) text += " mime_type=" + plain_or_quoted(field.mime_type);
  if (field.blob && !field.blob->blob_id.empty()) text += " blob_id=" + plain_or_quoted(field.blob->blob_id);
  if (!field.blob) text += " encoding=base64";
  if (field.size_bytes >= 0) text += format(" size_bytes={}", field.size_bytes);
  else if (!field.blob) text += format(" size_chars={}", field.size_chars);
  if (!field.digest.empty()) text += " digest=" + plain_or_quoted(field.digest);
  text += format(" resource={}\n", blob_uri(record, field.path));
}

void append_record(std::string& text, const std::string& indent, const std::string& label, const api::Record& record) {
  const api::LadderRecord ladder = ladder_of(record);
  text += format("{}{} id={}", indent, label, plain_or_quoted(model::format_record_id(record.ref)));
  if (record.deleted) {
    text += " deleted=true";
    if (!record.deleted_at.empty()) text += " deleted_at=" + plain_or_quoted(record.deleted_at);
    text += '\n';
    return;
  }
  text += format(" complete={} {}\n", record.cut.empty(), visible_json(record.data));
  const std::string deeper = indent + "   ";
  for (const LadderField& field : ladder.fields) append_field(text, deeper, record.ref, field);
  for (const api::Expansion& expansion : record.expanded) {
    text += format("{}expanded relation={} count={} has_more={}", deeper, plain_or_quoted(expansion.name),
                   expansion.records.size(), expansion.has_more);
    text += expansion.has_more ? format("; more: {}\n", kMoreRelated) : "\n";
    for (const api::Record& child : expansion.records) append_record(text, deeper + "  ", "-", child);
  }
}

}  // namespace

void append_warnings(std::string& text, const std::vector<api::Warning>& warnings) {
  for (const api::Warning& warning : warnings) {
    text += format("warning code={} message={}", plain_or_quoted(warning.code), quoted_line(warning.message));
    if (!warning.param.empty()) text += " param=" + plain_or_quoted(warning.param);
    text += '\n';
  }
}

std::string records_text(const std::string& stream, const api::RecordsPage& page, const boost::json::object& given) {
  std::string text =
      format("records from stream {}: {} record(s). has_more={}.", quoted_line(stream), page.records.size(), page.has_more);
  if (!page.next_changes_since.empty()) text += format(" next_changes_since={}.", quoted_line(page.next_changes_since));
  if (page.count.kind != api::CountKind::kNone) {
    text += format(" count={}:{}.", page.count.kind == api::CountKind::kExact ? "exact" : "estimated", page.count.value);
  }
  text += '\n';
  append_warnings(text, page.warnings);
  std::size_t number = 0;
  for (const api::Record& record : page.records) append_record(text, "", format("{}.", ++number), record);
  text += more_line("query_records", given, page.has_more, page.next_cursor);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ladder::mcp

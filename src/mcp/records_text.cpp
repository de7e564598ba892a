#include "mcp/records_text.h"

#include "base/format.h"
#include "mcp/calls.h"
#include "mcp/record_view.h"
#include "mcp/visible.h"

namespace ladder::mcp {
namespace {

using evidence::LadderField;

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
  if (field.blob && field.blob->size_bytes >= 0) text += format(" size_bytes={}", field.blob->size_bytes);
  if (!field.blob) text += format(" encoding=base64 size_chars={}", field.size_chars);
  if (!field.digest.empty()) text += " digest=" + plain_or_quoted(field.digest);
  text += format(" resource={}\n", blob_uri(record, field.path));
}

void append_record(std::string& text, const std::string& indent, const std::string& label, const port::Record& record) {
  const evidence::LadderRecord ladder = ladder_of(record);
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
  for (const port::Expansion& expansion : record.expanded) {
    text += format("{}expanded relation={} count={} has_more={}", deeper, plain_or_quoted(expansion.name),
                   expansion.records.size(), expansion.has_more);
    text += expansion.has_more ? format("; more: {}\n", kMoreRelated) : "\n";
    for (const port::Record& child : expansion.records) append_record(text, deeper + "  ", "-", child);
  }
}

}  // namespace

void append_warnings(std::string& text, const std::vector<port::Warning>& warnings) {
  for (const port::Warning& warning : warnings) {
    text += format("warning code={} message={}", plain_or_quoted(warning.code), quoted_line(warning.message));
    if (!warning.param.empty()) text += " param=" + plain_or_quoted(warning.param);
    text += '\n';
  }
}

std::string records_text(const std::string& stream, const port::RecordsPage& page, const boost::json::object& given) {
  std::string text =
      format("records from stream {}: {} record(s). has_more={}.", quoted_line(stream), page.records.size(), page.has_more);
  if (!page.next_changes_since.empty()) text += format(" next_changes_since={}.", quoted_line(page.next_changes_since));
  if (page.count.kind != port::CountKind::kNone) {
    text += format(" count={}:{}.", page.count.kind == port::CountKind::kExact ? "exact" : "estimated", page.count.value);
  }
  text += '\n';
  append_warnings(text, page.warnings);
  std::size_t number = 0;
  for (const port::Record& record : page.records) append_record(text, "", format("{}.", ++number), record);
  text += more_line("query_records", given, page.has_more, page.next_cursor);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ladder::mcp

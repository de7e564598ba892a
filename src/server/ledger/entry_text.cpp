#include "server/ledger/entry_text.h"

#include "base/time/time.h"
#include "crypto/hash.h"
#include "model/record_id.h"

#include <string_view>

namespace ladder::server {
namespace {

void write_fields(json::Writer& out, const std::vector<ShownField>& fields) {
  out.key("fields").begin_array();
  for (const ShownField& field : fields) {
    out.begin_object().optional_member("field_path", field.path).member("unit", word_of(field.unit));
    out.member("size", field.size);
    if (field.digest) out.member("digest", crypto::digest_text(*field.digest));
    out.key("ranges").begin_array();
    for (const ShownRange& range : field.ranges) out.begin_array().number(range.start).number(range.end).end_array();
    out.end_array().end_object();
  }
  out.end_array();
}

std::string grant_ids_of(const LedgerEntry& entry) {
  std::string ids;
  for (const GrantShare& grant : entry.grants) ids += (ids.empty() ? "" : " ") + grant.grant_id;
  return ids;
}

// Appends one cell. Spreadsheets parse cells with a leading sign or tab as formulas.
void append_cell(std::string& row, std::string_view text) {
  if (!row.empty()) row += ',';
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").contains(text.front());
  if (!formula && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    row += text;
    return;
  }
  row += '"';
  if (formula) row += '\'';
  for (const char c : text) row += c == '"' ? std::string("\"\"") : std::string(1, c);
  row += '"';
}

}  // namespace

void write_shown(json::Writer& out, const ShownRecord& shown) {
  const model::RecordRef& record = shown.record;
  if (!record.record_id.empty()) out.member("id", model::format_record_id(record));
  out.member("connection_id", record.connection_id).member("stream", record.stream);
  out.optional_member("record_id", record.record_id);
  write_fields(out, shown.fields);
}

std::string date_of_day(std::int64_t day) { return format_time(day * kDay).substr(0, 10); }

void write_ledger_entry(json::Writer& out, const LedgerEntry& entry) {
  out.begin_object().member("at", format_time(entry.at)).member("client_id", entry.client_id);
  out.key("grants").begin_array();
  for (const GrantShare& grant : entry.grants) {
    out.begin_object().member("grant_id", grant.grant_id).member("chars", grant.chars).member("bytes", grant.bytes).end_object();
  }
  out.end_array().member("transport", entry.transport).optional_member("name", entry.name).member("kind", entry.shown.kind);
  out.optional_member("request_id", entry.request_id).optional_member("query", entry.shown.query);
  out.member("chars", entry.chars()).member("bytes", entry.shown.total(Unit::kBytes));
  out.key("records").begin_array();
  for (const ShownRecord& record : entry.shown.records) {
    out.begin_object();
    write_shown(out, record);
    out.end_object();
  }
  out.end_array();
  if (entry.erased > 0) out.member("erased_records", entry.erased);
  out.end_object();
}

std::string ledger_line(const LedgerEntry& entry) {
  json::Writer out;
  write_ledger_entry(out, entry);
  return out.take() + "\n";
}

std::string ledger_csv_head() {
  return "at,client_id,grant_ids,transport,name,kind,request_id,query,connection_id,stream,record_id,field_path,unit,start,end,"
         "size,"
         "digest\r\n";
}

std::string ledger_csv_rows(const LedgerEntry& entry) {
  const std::string grants = grant_ids_of(entry);
  std::string head;
  append_cell(head, format_time(entry.at));
  for (const std::string* text :
       {&entry.client_id, &grants, &entry.transport, &entry.name, &entry.shown.kind, &entry.request_id, &entry.shown.query}) {
    append_cell(head, *text);
  }
  std::string rows;
  const auto add = [&](const model::RecordRef& record, const ShownField* field, const ShownRange& range) {
    std::string row = head;
    for (const std::string* text : {&record.connection_id, &record.stream, &record.record_id}) append_cell(row, *text);
    append_cell(row, field ? field->path : "");
    append_cell(row, field ? word_of(field->unit) : "");
    append_cell(row, std::to_string(range.start));
    append_cell(row, std::to_string(range.end));
    append_cell(row, field ? std::to_string(field->size) : "");
    append_cell(row, field && field->digest ? crypto::digest_text(*field->digest) : "");
    rows += row + "\r\n";
  };
  for (const ShownRecord& record : entry.shown.records) {
    bool any = false;
    for (const ShownField& field : record.fields) {
      for (const ShownRange& range : field.ranges) {
        add(record.record, &field, range);
        any = true;
      }
    }
    if (!any) add(record.record, nullptr, {});
  }
  if (entry.shown.records.empty()) add({}, nullptr, {});
  return rows;
}

}  // namespace ladder::server

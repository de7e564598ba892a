#include "rest/render_ledger.h"

#include "base/time/time.h"
#include "crypto/hash.h"
#include "model/record_id.h"

#include <string_view>

namespace ladder::rest {
namespace {

using server::Unit;

void write_fields(json::Writer& out, const std::vector<server::ShownField>& fields) {
  out.key("fields").begin_array();
  for (const server::ShownField& field : fields) {
    out.begin_object().optional_member("field_path", field.path).member("unit", server::word_of(field.unit));
    out.member("size", field.size);
    if (field.digest) out.member("digest", crypto::digest_text(*field.digest));
    out.key("ranges").begin_array();
    for (const server::ShownRange& range : field.ranges) out.begin_array().number(range.start).number(range.end).end_array();
    out.end_array().end_object();
  }
  out.end_array();
}

void write_record(json::Writer& out, const server::ShownRecord& shown) {
  const model::RecordRef& record = shown.record;
  if (!record.record_id.empty()) out.member("id", model::format_record_id(record));
  out.member("connection_id", record.connection_id).member("stream", record.stream);
  out.optional_member("record_id", record.record_id);
  write_fields(out, shown.fields);
}

std::string grant_ids_of(const server::LedgerEntry& entry) {
  std::string ids;
  for (const server::GrantShare& grant : entry.grants) ids += (ids.empty() ? "" : " ") + grant.grant_id;
  return ids;
}

// One cell. A leading sign or tab makes a formula of it in a spreadsheet.
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

std::string date_of_day(std::int64_t day) { return format_time(day * kDay).substr(0, 10); }

void write_ledger_entry(json::Writer& out, const server::LedgerEntry& entry) {
  out.begin_object().member("at", format_time(entry.at)).member("client_id", entry.client_id);
  out.key("grants").begin_array();
  for (const server::GrantShare& grant : entry.grants) {
    out.begin_object().member("grant_id", grant.grant_id).member("chars", grant.chars).member("bytes", grant.bytes).end_object();
  }
  out.end_array().member("door", entry.door).optional_member("name", entry.name).member("kind", entry.shown.kind);
  out.optional_member("request_id", entry.request_id).optional_member("query", entry.shown.query);
  out.member("chars", entry.shown.total(Unit::kChars)).member("bytes", entry.shown.total(Unit::kBytes));
  out.key("records").begin_array();
  for (const server::ShownRecord& record : entry.shown.records) {
    out.begin_object();
    write_record(out, record);
    out.end_object();
  }
  out.end_array();
  if (entry.erased > 0) out.member("erased_records", entry.erased);
  out.end_object();
}

std::string ledger_line(const server::LedgerEntry& entry) {
  json::Writer out;
  write_ledger_entry(out, entry);
  return out.take() + "\n";
}

std::string render_ledger(const server::LedgerPage& page) {
  json::Writer out;
  out.begin_object().member("object", "list").member("has_more", !page.next_cursor.empty());
  out.optional_member("next_cursor", page.next_cursor).key("data").begin_array();
  for (const server::LedgerEntry& entry : page.entries) write_ledger_entry(out, entry);
  return out.end_array().end_object().take();
}

std::string render_seen(const std::vector<server::SeenRecord>& seen) {
  json::Writer out;
  out.begin_object().member("object", "list").key("data").begin_array();
  for (const server::SeenRecord& one : seen) {
    out.begin_object().member("client_id", one.client_id);
    out.member("first_at", format_time(one.first_at)).member("last_at", format_time(one.last_at));
    out.member("answers", one.answers).member("chars", one.shown.total(Unit::kChars));
    out.member("bytes", one.shown.total(Unit::kBytes));
    write_record(out, one.shown);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

std::string render_uses(const std::vector<server::LedgerUse>& uses) {
  json::Writer out;
  out.begin_object().member("object", "list").key("data").begin_array();
  for (const server::LedgerUse& use : uses) {
    out.begin_object().member("day", date_of_day(use.day)).member("client_id", use.client_id);
    out.member("grant_id", use.grant_id).member("answers", use.answers).member("chars", use.chars);
    out.member("bytes", use.bytes).end_object();
  }
  return out.end_array().end_object().take();
}

std::string render_ledger_state(const server::ResourceServer::LedgerState& state) {
  json::Writer out;
  out.begin_object().key("settings").begin_object().member("detail_days", state.settings.detail_days);
  out.member("seen_days", state.settings.seen_days).member("keeps_queries", state.settings.keeps_queries).end_object();
  out.key("days").begin_array();
  for (const server::LedgerDay& day : state.days) {
    out.begin_object().member("day", date_of_day(day.day)).member("entries", day.entries).member("expired", day.expired);
    out.member("head", crypto::digest_text(day.head)).end_object();
  }
  out.end_array().key("erased").begin_array();
  for (const server::ErasedCount& count : state.erased) {
    out.begin_object().member("client_id", count.client_id).member("records", count.records).end_object();
  }
  return out.end_array().end_object().take();
}

std::string ledger_csv_head() {
  return "at,client_id,grant_ids,door,name,kind,request_id,query,connection_id,stream,record_id,field_path,unit,start,end,size,"
         "digest\r\n";
}

std::string ledger_csv_rows(const server::LedgerEntry& entry) {
  const std::string grants = grant_ids_of(entry);
  std::string head;
  append_cell(head, format_time(entry.at));
  for (const std::string* text :
       {&entry.client_id, &grants, &entry.door, &entry.name, &entry.shown.kind, &entry.request_id, &entry.shown.query}) {
    append_cell(head, *text);
  }
  std::string rows;
  const auto add = [&](const model::RecordRef& record, const server::ShownField* field, const server::ShownRange& range) {
    std::string row = head;
    for (const std::string* text : {&record.connection_id, &record.stream, &record.record_id}) append_cell(row, *text);
    append_cell(row, field ? field->path : "");
    append_cell(row, field ? server::word_of(field->unit) : "");
    append_cell(row, std::to_string(range.start));
    append_cell(row, std::to_string(range.end));
    append_cell(row, field ? std::to_string(field->size) : "");
    append_cell(row, field && field->digest ? crypto::digest_text(*field->digest) : "");
    rows += row + "\r\n";
  };
  for (const server::ShownRecord& record : entry.shown.records) {
    bool any = false;
    for (const server::ShownField& field : record.fields) {
      for (const server::ShownRange& range : field.ranges) {
        add(record.record, &field, range);
        any = true;
      }
    }
    if (!any) add(record.record, nullptr, {});
  }
  if (entry.shown.records.empty()) add({}, nullptr, {});
  return rows;
}

}  // namespace ladder::rest

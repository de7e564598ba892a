// Renders records, tombstones, pages and windows as JSON (PDPP "records", "changes", "record lists" and "field
// windows").
#include "api/blob.h"
#include "api/render/render.h"
#include "api/wire_words.h"
#include "base/text/format.h"
#include "model/handle.h"

namespace ladder::api {
namespace {

using json::Writer;

void write_cut(Writer& out, const Record& record) {
  if (record.cut.empty()) return;
  out.key("truncated_fields").begin_array();
  for (const CutField& cut : record.cut) {
    out.begin_object().member("field_path", cut.path).member("type", cut.type).optional_member("mime_type", cut.mime_type);
    out.member("text_like", cut.text_like).member("size_chars", cut.size_chars).member("shown_chars", cut.shown_chars);
    if (cut.size_bytes >= 0) out.member("size_bytes", cut.size_bytes);
    out.optional_member("digest", cut.digest);
    out.key("field_window_read").begin_object().member("method", "GET");
    out.member("url", format("/v1/streams/{}/records/{}/field-window?connection_id={}&field={}&offset_chars={}",
                             model::percent_encode(record.ref.stream), model::percent_encode(record.ref.record_id),
                             model::percent_encode(record.ref.connection_id), model::percent_encode(cut.path), cut.shown_chars));
    out.end_object().end_object();
  }
  out.end_array();
}

void write_record(Writer& out, const Record& record);

void write_complete_record(Writer& out, const Record& record) {
  out.begin_object();
  write_record(out, record);
  out.end_object();
}

void write_expansion(Writer& out, const Expansion& expansion) {
  out.key(expansion.name);
  if (!expansion.has_many) {
    expansion.records.empty() ? static_cast<void>(out.null()) : write_complete_record(out, expansion.records.front());
    return;
  }
  out.begin_object().member("object", "list").member("has_more", expansion.has_more).key("data").begin_array();
  for (const Record& record : expansion.records) write_complete_record(out, record);
  out.end_array().end_object();
}

// Writes the members of one record without braces, so that a single record can also have links and meta.
void write_record(Writer& out, const Record& record) {
  out.member("object", "record").member("id", record.ref.record_id).member("stream", record.ref.stream);
  if (record.deleted) {
    out.member("deleted", true).optional_member("deleted_at", record.deleted_at);
  } else {
    out.key("data").raw(with_fetch_url(record.data));
  }
  out.member("emitted_at", record.emitted_at);
  out.member("connection_id", record.ref.connection_id).member("connector_instance_id", record.ref.connection_id);
  out.optional_member("display_name", record.display_name);
  if (!record.expanded.empty()) {
    out.key("expanded").begin_object();
    for (const Expansion& expansion : record.expanded) write_expansion(out, expansion);
    out.end_object();
  }
  write_cut(out, record);
}

}  // namespace

std::string render(const RecordsPage& page, std::string_view path, ResponseTail response_tail) {
  Writer out;
  out.begin_object().member("object", "list").member("url", path).member("has_more", page.has_more);
  out.optional_member("next_cursor", page.next_cursor).optional_member("next_changes_since", page.next_changes_since);
  out.key("data").begin_array();
  for (const Record& record : page.records) write_complete_record(out, record);
  out.end_array();
  response_tail.is_list = true;
  response_tail.next_cursor = page.next_cursor;
  response_tail.count = page.count;
  response_tail.window = page.window;
  response_tail.warnings.insert(response_tail.warnings.end(), page.warnings.begin(), page.warnings.end());
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

std::string render(const Record& record, const ResponseTail& response_tail) {
  Writer out;
  out.begin_object();
  write_record(out, record);
  out.member("connector_key", record.connector_key).member("record_json_bytes", static_cast<std::int64_t>(record.data.size()));
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

std::string render(const api::FieldWindow& window, const ResponseTail& response_tail) {
  std::string body = api::to_json(window);
  body.pop_back();  // removes the closing brace to append members
  Writer tail;
  tail.begin_object();
  write_response_tail(tail, response_tail);
  const std::string rest = tail.end_object().take();
  return body + "," + rest.substr(1);
}

// GET …/aggregate (PDPP "aggregates"): a value or groups.

namespace {

using json::Writer;

void write_text_or_null(Writer& out, std::string_view key, std::string_view text) {
  out.key(key);
  text.empty() ? out.null() : out.string(text);
}

void write_groups(Writer& out, const AggregateResult& result) {
  out.member("limit", result.limit).key("groups").begin_array();
  for (const Group& group : result.groups) {
    out.begin_object().key("key");
    group.key_json ? out.raw(*group.key_json) : out.null();
    out.member("count", group.count).end_object();
  }
  out.end_array().member("other_count", result.other_count);
}

}  // namespace

std::string render(const AggregateRequest& request, const AggregateResult& result, ResponseTail response_tail) {
  const bool by_time = !request.group_by_time.empty();
  Writer out;
  out.begin_object().member("object", "aggregation").member("stream", request.stream);
  out.member("metric", word_of(kMetricWords, request.metric));
  write_text_or_null(out, "field", request.field);
  write_text_or_null(out, "group_by", request.group_by);
  write_text_or_null(out, "group_by_time", request.group_by_time);
  write_text_or_null(out, "granularity", request.granularity ? word_of(kGranularityWords, *request.granularity) : "");
  write_text_or_null(out, "time_zone", !by_time ? "" : request.time_zone.empty() ? "UTC" : request.time_zone);
  out.member("approximate", result.approximate).member("filtered_record_count", result.filtered_record_count);
  if (by_time || !request.group_by.empty()) {
    write_groups(out, result);
  } else {
    out.key("value");
    result.value_json.empty() ? out.null() : out.raw(result.value_json);
  }
  response_tail.warnings.insert(response_tail.warnings.end(), result.warnings.begin(), result.warnings.end());
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

}  // namespace ladder::api

// Parses records, record lists and truncated fields (PDPP "records", "record lists" and "changes").
#include "api/blob.h"
#include "json/writer.h"
#include "remote/readers.h"

#include <set>

namespace ladder::remote {
namespace {

using api::Record;
using json::Kind;
using json::Value;

void read_cut(const Object& from, Record& record) {
  for (const Object& field : from.list_if_any("truncated_fields").objects()) {
    api::CutField& cut = record.cut.emplace_back();
    cut.path = field.text("field_path");
    cut.type = field.text_or("type", "string");
    cut.mime_type = field.text_if_any("mime_type");
    cut.text_like = field.boolean_or("text_like", true);
    cut.size_chars = field.integer("size_chars");
    cut.shown_chars = field.integer_or("shown_chars", 0);
    cut.size_bytes = field.integer_or("size_bytes", -1);
    cut.digest = field.text_if_any("digest");
    if (cut.size_chars < 0 || cut.shown_chars < 0) field.complain("size_chars", "is negative");
  }
}

Record record_of(const Object& from, const model::RecordRef& asked);

void read_expanded(const Object& from, Record& record) {
  const auto expanded = from.object_if_any("expanded");
  if (!expanded) return;
  for (const auto& [name, value] : expanded->members()) {
    api::Expansion& expansion = record.expanded.emplace_back();
    expansion.name = name;
    if (value.kind == Kind::kNull) continue;
    const Object related = expanded->at(name, value);
    if (value.kind != Kind::kObject) {
      expanded->complain(name, "is neither a record nor a list");
      continue;
    }
    const Value* const data = related.find("data");
    expansion.has_many = data != nullptr && data->kind == Kind::kArray;
    if (!expansion.has_many) {
      expansion.records.push_back(record_of(related, {record.ref.connection_id, {}, {}}));
      continue;
    }
    expansion.has_more = related.boolean_or("has_more", false);
    for (const Object& child : related.list("data").objects()) {
      expansion.records.push_back(record_of(child, {record.ref.connection_id, {}, {}}));
    }
  }
}

// The key is a string; some servers write integers. The `id` of an envelope may be another kind of id, but `record_key` is not;
// in an unwrapped payload both are the owner's fields.
std::string key_of(const Object& from, bool is_wrapped) {
  const Value* const key =
      is_wrapped ? from.find({"record_key", "id", "record_id"}) : from.find({"id", "record_id", "record_key"});
  if (key && (key->kind == Kind::kString || key->kind == Kind::kNumber)) return plain_text(*key);
  from.complain("id", key ? "is not a record key" : "is missing");
  return {};
}

// Returns the members of an envelope without `data` that are not part of the envelope.
std::string payload_of(const Object& from) {
  static const std::set<std::string_view> envelope = {"object",
                                                      "stream",
                                                      "data",
                                                      "connection_id",
                                                      "connector_instance_id",
                                                      "connector_key",
                                                      "connector_id",
                                                      "display_name",
                                                      "emitted_at",
                                                      "deleted",
                                                      "deleted_at",
                                                      "record_key",
                                                      "record_json_bytes",
                                                      "expanded",
                                                      "links",
                                                      "meta",
                                                      "truncated_fields"};
  json::Writer out;
  out.begin_object();
  for (const auto& [name, value] : from.members()) {
    if (!envelope.contains(name)) out.key(name).raw(value.text);
  }
  return out.end_object().take();
}

// Parses an envelope or an unwrapped payload.
Record record_of(const Object& from, const model::RecordRef& asked) {
  Record record;
  const Value* const data = from.find("data");
  const bool is_wrapped = data != nullptr || from.hint("object") == "record";
  record.ref.record_id = key_of(from, is_wrapped);
  record.ref.stream = from.hint("stream");
  if (record.ref.stream.empty()) record.ref.stream = asked.stream;
  record.ref.connection_id = connection_of(from);
  if (record.ref.connection_id.empty()) record.ref.connection_id = asked.connection_id;
  record.connector_key = from.hint({"connector_key", "connector_id"});
  if (!is_wrapped) {
    record.data = api::without_fetch_url(from.json());
    return record;
  }
  record.display_name = from.text_if_any("display_name");
  record.emitted_at = from.text_if_any("emitted_at");
  record.deleted = from.boolean_or("deleted", false);
  record.deleted_at = from.text_if_any("deleted_at");
  if (!record.deleted) record.data = data ? api::without_fetch_url(from.object("data").json()) : payload_of(from);
  read_cut(from, record);
  read_expanded(from, record);
  return record;
}

api::CountResult count_of(const Object& meta) {
  const Value* const count = meta.find("count");
  if (!count || count->kind != Kind::kObject) return {};
  const Object reported = meta.at("count", *count);
  const std::string kind = reported.hint("kind");
  if (kind != "exact" && kind != "estimated") return {};
  return {kind == "exact" ? api::CountKind::kExact : api::CountKind::kEstimated, reported.integer("value")};
}

std::optional<api::CorpusWindow> window_of(const Object& meta) {
  const auto window = meta.object_if_any("window");
  if (!window) return std::nullopt;
  return api::CorpusWindow{window->integer("total"), window->text_if_any("earliest_at"), window->text_if_any("latest_at")};
}

// Finds data[], records[] or data.records[].
List list_of(const Object& body) {
  const Value* const data = body.find("data");
  if (data && data->kind == Kind::kObject) return body.at("data", *data).list("records");
  return !data && body.has("records") ? body.list("records") : body.list("data");
}

}  // namespace

std::string connection_of(const Object& object) { return object.hint({"connection_id", "connector_instance_id"}); }

std::vector<api::Warning> read_warnings(const Object& meta) {
  std::vector<api::Warning> warnings;
  for (const Object& reported : meta.list_if_any("warnings").objects()) {
    api::Warning& warning = warnings.emplace_back();
    warning.code = reported.text("code");
    warning.message = reported.text_if_any("message");
    warning.param = reported.hint("param");
    const Value* const detail = reported.find("detail");
    if (detail && detail->kind == Kind::kObject) warning.detail = detail->text;
  }
  return warnings;
}

api::RecordsPage read_records(Answer& answer, const model::RecordRef& asked) {
  api::RecordsPage page;
  if (answer.is_array()) {
    for (const Object& record : answer.list().objects()) page.records.push_back(record_of(record, asked));
    return page;
  }
  const Object body = answer.object();
  for (const Object& record : list_of(body).objects()) page.records.push_back(record_of(record, asked));
  page.next_cursor = body.text_if_any("next_cursor");
  page.next_changes_since = body.text_if_any("next_changes_since");
  page.has_more = body.boolean_or("has_more", !page.next_cursor.empty());
  if (const auto meta = body.object_if_any("meta")) {
    page.count = count_of(*meta);
    page.window = window_of(*meta);
    page.warnings = read_warnings(*meta);
  }
  return page;
}

api::Record read_record(Answer& answer, const model::RecordRef& asked) { return record_of(answer.object(), asked); }

// Parses aggregates (PDPP "aggregates"), at the top level or inside `data`. Keys and values keep their bytes.

namespace {

using json::Kind;

void read_groups(const Object& body, api::AggregateResult& result) {
  result.limit = body.integer_or("limit", 0);
  result.other_count = body.integer_or("other_count", 0);
  for (const Object& reported : body.list("groups").objects()) {
    api::Group& group = result.groups.emplace_back();
    if (const json::Value* const key = reported.find("key")) group.key_json = key->text;
    group.count = reported.integer("count");
  }
}

}  // namespace

api::AggregateResult read_aggregate(Answer& answer) {
  const Object outer = answer.object();
  const json::Value* const inside = outer.find("data");
  const Object body = inside && inside->kind == Kind::kObject ? outer.at("data", *inside) : outer;
  api::AggregateResult result;
  result.approximate = body.boolean_or("approximate", false);
  result.filtered_record_count = body.integer_or("filtered_record_count", 0);
  if (body.has("groups")) {
    read_groups(body, result);
  } else if (const json::Value* const value = body.find("value")) {
    result.value_json = value->text;
  } else if (body.hint("metric") == "count" && body.has("filtered_record_count")) {
    result.value_json = std::to_string(result.filtered_record_count);
  } else if (!body.mentions("value")) {
    body.complain("value", "is missing, and so are groups");
  }
  if (const auto meta = outer.object_if_any("meta")) result.warnings = read_warnings(*meta);
  return result;
}

}  // namespace ladder::remote

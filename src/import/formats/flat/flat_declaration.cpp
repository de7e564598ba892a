// Makes the declaration of a flat export: every time and number can be filtered, and the fields that the plan marks can be
// searched and grouped.
#include "import/formats/flat/flat_plan.h"
#include "json/writer.h"

#include <functional>

namespace ladder::imports::flat {
namespace {

bool is_time(const FieldPlan& field) { return field.type == FieldType::kTime || field.type == FieldType::kDate; }
bool is_number(const FieldPlan& field) { return field.type == FieldType::kInteger || field.type == FieldType::kNumber; }

std::string_view json_type(FieldType type) {
  switch (type) {
    case FieldType::kInteger:
      return "integer";
    case FieldType::kNumber:
      return "number";
    case FieldType::kBoolean:
      return "boolean";
    case FieldType::kList:
      return "array";
    default:
      return "string";
  }
}

std::string_view hint(const FieldPlan& field) {
  switch (field.type) {
    case FieldType::kPerson:
      return "person";
    case FieldType::kUrl:
      return "url";
    case FieldType::kTime:
    case FieldType::kDate:
      return "timestamp";
    case FieldType::kText:
      return field.search ? "text" : "";
    default:
      return "";
  }
}

void write_field(json::Writer& out, const FieldPlan& field) {
  out.key(field.name).begin_object().member("title", field.title).member("x_pdpp_level", field.level);
  out.member("type", json_type(field.type));
  if (field.type == FieldType::kList) out.key("items").begin_object().member("type", "string").end_object();
  if (is_time(field)) out.member("format", field.type == FieldType::kTime ? "date-time" : "date");
  if (field.markdown) out.member("contentMediaType", "text/markdown");
  out.optional_member("x_pdpp_type", hint(field)).optional_member("x_pdpp_role", field.role);
  out.optional_member("x_pdpp_belongs_to", field.belongs_to);
  if (field.copies) out.member("x_pdpp_copies", "fold");
  out.member("description", field.about).end_object();
}

std::vector<std::string> names_of(const StreamPlan& stream, const std::function<bool(const FieldPlan&)>& fits) {
  std::vector<std::string> names;
  for (const FieldPlan& field : stream.fields) {
    if (fits(field)) names.push_back(field.name);
  }
  return names;
}

void write_query(json::Writer& out, const StreamPlan& stream) {
  const auto times = names_of(stream, is_time), numbers = names_of(stream, is_number);
  const auto ordered = names_of(stream, [](const FieldPlan& field) { return is_time(field) || is_number(field); });
  const auto searched = names_of(stream, [](const FieldPlan& field) { return field.search; });
  out.key("query").begin_object();
  if (!searched.empty()) out.key("search").begin_object().member("lexical_fields", searched).end_object();
  if (!ordered.empty()) {
    out.key("range_filters").begin_object();
    for (const std::string& name : ordered) out.member(name, std::vector<std::string>{"gte", "gt", "lte", "lt"});
    out.end_object();
  }
  out.key("aggregations").begin_object().member("count", true);
  out.optional_member("group_by", names_of(stream, [](const FieldPlan& field) { return field.group; }));
  out.optional_member("group_by_time", times).optional_member("sum", numbers);
  out.optional_member("min", ordered).optional_member("max", ordered).end_object().end_object();
}

void write_stream(json::Writer& out, const FlatPlan& plan, const StreamPlan& stream) {
  out.begin_object().member("name", stream.name).member("semantics", "mutable_state").member("primary_key", {"id"});
  if (!stream.time.empty()) out.member("cursor_field", stream.time).member("consent_time_field", stream.time);
  out.member("description", stream.about).key("display").begin_object();
  out.member("label", stream.label).member("detail", stream.detail).end_object();
  out.key("selection").begin_object().member("fields", true).member("resources", true).end_object();
  out.key("schema").begin_object();
  if (&stream == &plan.streams.front()) {
    out.key("x_pdpp_levels").begin_array();
    for (const FlatPlan::Level& level : plan.levels)
      out.begin_object().member("id", level.id).member("label", level.label).member("detail", level.detail).end_object();
    out.end_array();
  } else {
    out.member("x_pdpp_levels_of", plan.streams.front().name);
  }
  out.member("type", "object").member("required", {"id"}).key("properties").begin_object();
  out.key("id").begin_object().member("title", "Record ID").member("type", "string");
  out.member("description", "Identifies the record in every export").end_object();
  for (const FieldPlan& field : stream.fields) write_field(out, field);
  out.end_object().end_object();
  write_query(out, stream);
  out.end_object();
}

}  // namespace

std::string declaration_of(const FlatPlan& plan) {
  json::Writer out;
  out.begin_object().member("protocol_version", "0.1.0").key("source").begin_object().member("kind", "connector");
  out.member("id", "urn:ladder:import:" + plan.format).end_object().member("declaration_version", plan.version);
  out.key("publisher").begin_object().member("id", "urn:ladder:import").end_object();
  out.key("display").begin_object().member("name", plan.name).end_object().key("streams").begin_array();
  for (const StreamPlan& stream : plan.streams) write_stream(out, plan, stream);
  return out.end_array().end_object().take();
}

}  // namespace ladder::imports::flat

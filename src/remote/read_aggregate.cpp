// Aggregates (contract 6.9), plain or inside `data`. Keys and values keep their bytes.
#include "remote/readers.h"

namespace ladder::remote {
namespace {

using json::Kind;

void read_groups(const Object& body, port::AggregateResult& result) {
  result.limit = body.integer_or("limit", 0);
  result.other_count = body.integer_or("other_count", 0);
  for (const Object& told : body.list("groups").objects()) {
    port::Group& group = result.groups.emplace_back();
    if (const json::Value* const key = told.find("key")) group.key_json = key->text;
    group.count = told.integer("count");
  }
}

}  // namespace

port::AggregateResult read_aggregate(Answer& answer) {
  const Object outer = answer.object();
  const json::Value* const inside = outer.find("data");
  const Object body = inside && inside->kind == Kind::kObject ? outer.at("data", *inside) : outer;
  port::AggregateResult result;
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

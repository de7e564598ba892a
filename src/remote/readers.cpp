#include "remote/readers.h"

#include <array>
#include <utility>

namespace ladder::remote {
namespace {

using api::Capability;
using api::FieldView;
using json::Kind;
using json::Value;

constexpr std::array<std::pair<std::string_view, Capability FieldView::*>, 6> kAggregations = {{
    {"sum", &FieldView::sum},
    {"min", &FieldView::min},
    {"max", &FieldView::max},
    {"group_by", &FieldView::group_by},
    {"group_by_time", &FieldView::group_by_time},
    {"count_distinct", &FieldView::count_distinct},
}};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return parts;
}

// --- flag lines: t=string,role=title,g=false,eq,r=gte|lt,lex,sem,a=sum|min ---

void take_flag(FieldView& field, std::string_view flag) {
  const std::size_t sign = flag.find('=');
  const std::string_view name = flag.substr(0, sign);
  const std::string_view value = sign == std::string_view::npos ? std::string_view() : flag.substr(sign + 1);
  const Capability can{true, !value.starts_with("unusable")};
  if (name == "t") field.type = value;
  else if (name == "role") field.role = value;
  else if (name == "g") field.granted = value != "false";
  else if (name == "eq") field.exact_filter = can;
  else if (name == "lex") field.lexical_search = can;
  else if (name == "sem") field.semantic_search = can;
  else if (name == "r") {
    field.range_filter = can;
    if (can.usable) field.range_operators = split(value, '|');
  } else if (name == "a" && can.usable) {
    for (const std::string& kind : split(value, '|')) {
      for (const auto& [word, member] : kAggregations) {
        if (kind == word) field.*member = can;
      }
    }
  }
}

// --- full form ---

Capability capability_of(const Object& from, std::string_view name, bool granted) {
  const Value* const reported = from.find(name);
  if (!reported) return {};
  if (reported->kind == Kind::kBool) return {reported->text == "true", reported->text == "true" && granted};
  if (reported->kind != Kind::kObject) return {};
  const Object flag = from.at(name, *reported);
  const bool declared = flag.boolean_or("declared", false);
  return {declared, flag.boolean_or("usable", declared && granted)};
}

// Returns one type, or several.
std::string type_of(const Object& from) {
  const Value* const type = from.find("type");
  if (!type || type->kind != Kind::kArray) return from.hint("type");
  std::string joined;
  for (json::Elements types(type->text); types.next();) joined += (joined.empty() ? "" : "|") + plain_text(types.value());
  return joined;
}

FieldView field_in_full(const Object& from) {
  FieldView field;
  field.type = type_of(from);
  field.role = from.hint("role");
  const Value* const schema = from.find("schema");
  field.schema_json = schema ? std::string(schema->text) : "{}";
  field.granted = from.boolean_or("granted", true);
  field.exact_filter = capability_of(from, "exact_filter", field.granted);
  field.range_filter = capability_of(from, "range_filter", field.granted);
  field.lexical_search = capability_of(from, "lexical_search", field.granted);
  field.semantic_search = capability_of(from, "semantic_search", field.granted);
  const Value* const range = from.find("range_filter");
  if (range && range->kind == Kind::kObject) field.range_operators = from.at("range_filter", *range).texts("operators");
  if (const auto aggregation = from.object_if_any("aggregation")) {
    for (const auto& [word, member] : kAggregations) field.*member = capability_of(*aggregation, word, field.granted);
  }
  return field;
}

}  // namespace

FieldView read_field(const Object& fields, const std::string& name, const Value& value) {
  FieldView field;
  if (value.kind == Kind::kObject) {
    field = field_in_full(fields.at(name, value));
  } else if (value.kind == Kind::kString) {
    field.granted = true;
    field.type = "any";  // flag lines omit this type
    field.schema_json = "{}";
    for (const std::string& flag : split(plain_text(value), ',')) take_flag(field, flag);
  } else {
    fields.complain(name, "is neither a line of flags nor an object");
  }
  field.name = name;
  return field;
}

}  // namespace ladder::remote

#include "import/table_plan.h"

#include "base/limits.h"
#include "import/text.h"
#include "json/parse.h"

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>

namespace ladder::imports {
namespace {

std::string text_member(const boost::json::value* schema, const char* name) {
  const boost::json::object* object = schema ? schema->if_object() : nullptr;
  const boost::json::value* member = object ? object->if_contains(name) : nullptr;
  const boost::json::string* text = member ? member->if_string() : nullptr;
  return text ? std::string(text->data(), text->size()) : std::string();
}

bool is_key(const model::Stream& stream, const model::Field& field) {
  return std::ranges::find(stream.primary_key, field.name) != stream.primary_key.end();
}

CellType type_of(const model::Field& field) {
  switch (field.type) {
    case model::FieldType::kInteger:
      return CellType::kInteger;
    case model::FieldType::kNumber:
      return CellType::kNumber;
    case model::FieldType::kBoolean:
      return CellType::kBoolean;
    default:
      break;
  }
  if (field.type == model::FieldType::kString && field.format == "date") return CellType::kDate;
  return field.is_time() ? CellType::kTime : CellType::kText;
}

}  // namespace

const TableColumn* TablePlan::digest() const {
  for (const TableColumn& column : columns) {
    if (column.is_digest) return &column;
  }
  return nullptr;
}

const model::Stream* stream_for(const model::SourceDeclaration& declaration, std::string_view file_stem) {
  for (const model::Stream& stream : declaration.streams) {
    if (lower_ascii(stream.name) == lower_ascii(file_stem)) return &stream;
  }
  return declaration.streams.size() == 1 ? &declaration.streams.front() : nullptr;
}

Result<TablePlan> plan_table(const model::Stream& stream) {
  LADDER_TRY(const boost::json::value schema,
             json::parse(stream.schema_json, ladder::limits::kMaxDeclarationBytes, ladder::limits::kMaxJsonDepth));
  const boost::json::object* object = schema.if_object();
  const boost::json::value* properties = object ? object->if_contains("properties") : nullptr;
  const boost::json::object* named = properties ? properties->if_object() : nullptr;
  TablePlan plan{&stream, {}};
  for (const model::Field& field : stream.fields) {
    const boost::json::value* property =
        named ? named->if_contains(boost::json::string_view(field.name.data(), field.name.size())) : nullptr;
    TableColumn column{field.name,
                       text_member(property, "x_ladder_column"),
                       {type_of(field), '.', text_member(property, "x_ladder_date")},
                       false,
                       field.nullable,
                       is_key(stream, field) || (field.required && !field.nullable)};
    if (column.column.empty()) column.column = field.name;
    column.is_digest = column.column == kDigestColumn;
    if (text_member(property, "x_ladder_decimal") == ",") column.rule.decimal = ',';
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

}  // namespace ladder::imports

#include "server/catalog/indexing.h"

#include <set>
#include <string>

namespace ladder::server {
namespace {

using model::FieldType;

std::set<std::string> wanted_fields(const model::SourceDeclaration& source, const model::Stream& stream) {
  std::set<std::string> wanted;
  for (const auto& [field, operators] : stream.range_filters) wanted.insert(field);
  wanted.insert(stream.aggregations.group_by.begin(), stream.aggregations.group_by.end());
  wanted.insert(stream.aggregations.group_by_time.begin(), stream.aggregations.group_by_time.end());
  wanted.insert(stream.consent_time_field);
  for (const model::Stream& parent : source.streams) {
    for (const model::Relationship& relation : parent.relationships) {
      if (relation.has_many && relation.stream == stream.name) wanted.insert(relation.foreign_key);
    }
  }
  return wanted;
}

}  // namespace

std::optional<store::IndexKind> index_kind(const model::Field& field) {
  switch (field.type) {
    case FieldType::kInteger:
    case FieldType::kNumber:
      return store::IndexKind::kNumber;
    case FieldType::kString:
      return field.is_time() ? store::IndexKind::kTime : store::IndexKind::kText;
    case FieldType::kBoolean:
      return store::IndexKind::kText;
    default:
      return std::nullopt;
  }
}

std::vector<store::Store::IndexedField> indexed_fields(const model::SourceDeclaration& source, const model::Stream& stream) {
  std::vector<store::Store::IndexedField> indexed;
  for (const std::string& name : wanted_fields(source, stream)) {
    const model::Field* field = stream.field(name);
    const auto kind = field ? index_kind(*field) : std::nullopt;
    if (!kind) continue;
    if (name != stream.cursor_field) {
      indexed.push_back({name, *kind});
    } else if (*kind == store::IndexKind::kTime) {
      indexed.push_back({name, store::IndexKind::kDays});  // found through the stream's own sort order
    }
  }
  return indexed;
}

std::vector<std::string> searched_fields(const model::Stream& stream) {
  std::vector<std::string> searched;
  for (const std::string& name : stream.lexical_fields) {
    const model::Field* field = stream.field(name);
    if (field && field->type == FieldType::kString) searched.push_back(name);
  }
  return searched;
}

}  // namespace ladder::server

// The meaning of a declaration (PDPP "source declarations"): names refer to existing items, there are no duplicates,
// and every query has fields of a suitable type. Each failure has the name defined by the contract.
#include "base/text/format.h"
#include "model/declaration/declaration_parts.h"
#include "model/quote.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder::model::parts {
namespace {

bool is_numeric(const Field& field) { return field.type == FieldType::kInteger || field.type == FieldType::kNumber; }
bool is_text(const Field& field) { return field.type == FieldType::kString; }
bool is_time(const Field& field) { return field.is_time(); }
bool is_ordered(const Field& field) { return is_numeric(field) || field.is_time(); }
bool is_scalar(const Field& field) { return is_numeric(field) || is_text(field) || field.type == FieldType::kBoolean; }

// The checks of one stream; `at` is its JSON pointer.
class StreamCheck {
 public:
  StreamCheck(Faults& faults, const Stream& stream, std::string at) : faults_(faults), stream_(stream), at_(std::move(at)) {
    for (const Field& field : stream.fields) fields_.emplace(field.name, &field);
  }

  void run() {
    declared("primary_key", stream_.primary_key);
    check_cursor_field();
    if (!stream_.consent_time_field.empty()) declared("consent_time_field", {stream_.consent_time_field});
    check_views();
    check_queries();
    check_relationship_names();
    check_expansions();
  }

 private:
  using Accepts = bool (*)(const Field&);

  const Field& field(const std::string& name) const { return *fields_.at(name); }
  std::string pointer(std::string_view relative) const { return format("{}/{}", at_, relative); }

  // Checks that every name is a declared property. `where` is the member with the names, relative to the stream.
  bool declared(std::string_view where, const std::vector<std::string>& names) {
    const auto unknown = std::ranges::find_if(names, [&](const std::string& name) { return !fields_.contains(name); });
    if (unknown == names.end()) return true;
    faults_.add("unknown_schema_field", pointer(where),
                format("{} names {}, which schema.properties does not have; declare it or correct the name", dotted(where),
                       in_quotes(*unknown)));
    return false;
  }

  void queryable(std::string_view where, const std::vector<std::string>& names, Accepts accepts, std::string_view wanted) {
    if (!declared(where, names)) return;
    for (const std::string& name : names) {
      if (accepts(field(name))) continue;
      faults_.add("invalid_query_field_type", pointer(where),
                  format("{} names {}, which must be declared as {} (besides null); change its type or remove it", dotted(where),
                         in_quotes(name), wanted));
    }
  }

  static std::string dotted(std::string_view where) {
    std::string out(where);
    std::ranges::replace(out, '/', '.');
    return out;
  }

  void check_cursor_field() {
    if (stream_.cursor_field.empty() || !declared("cursor_field", {stream_.cursor_field})) return;
    if (is_ordered(field(stream_.cursor_field))) return;
    faults_.add("invalid_cursor_field", pointer("cursor_field"),
                format("cursor_field names {}, which must be an integer, a number, or a string of format date or date-time; "
                       "name another field or correct its type",
                       in_quotes(stream_.cursor_field)));
  }

  void check_views() {
    std::set<std::string_view> ids;
    for (std::size_t index = 0; index < stream_.views.size(); ++index) {
      const View& view = stream_.views[index];
      if (!ids.insert(view.id).second) {
        faults_.add("duplicate_view_id", pointer(format("views/{}/id", index)),
                    format("two views have the id {}; rename one", in_quotes(view.id)));
      }
      declared(format("views/{}/fields", index), view.fields);
    }
  }

  void check_queries() {
    constexpr std::string_view kText = "one string type";
    constexpr std::string_view kNumber = "an integer or number";
    constexpr std::string_view kOrdered = "an integer, a number, or a string of format date or date-time";
    constexpr std::string_view kScalar = "one boolean, integer, number or string type";
    constexpr std::string_view kTime = "a string of format date or date-time";
    std::vector<std::string> ranged;
    ranged.reserve(stream_.range_filters.size());
    for (const auto& [field, operators] : stream_.range_filters) ranged.push_back(field);
    queryable("query/range_filters", ranged, is_ordered, kOrdered);
    queryable("query/search/lexical_fields", stream_.lexical_fields, is_text, kText);
    queryable("query/search/semantic_fields", stream_.semantic_fields, is_text, kText);
    const Aggregations& aggregations = stream_.aggregations;
    queryable("query/aggregations/count_distinct", aggregations.count_distinct, is_scalar, kScalar);
    queryable("query/aggregations/group_by", aggregations.group_by, is_scalar, kScalar);
    queryable("query/aggregations/group_by_time", aggregations.group_by_time, is_time, kTime);
    queryable("query/aggregations/max", aggregations.max, is_ordered, kOrdered);
    queryable("query/aggregations/min", aggregations.min, is_ordered, kOrdered);
    queryable("query/aggregations/sum", aggregations.sum, is_numeric, kNumber);
  }

  void check_relationship_names() {
    std::set<std::string_view> names;
    for (std::size_t index = 0; index < stream_.relationships.size(); ++index) {
      const std::string& name = stream_.relationships[index].name;
      if (names.insert(name).second) continue;
      faults_.add("duplicate_relationship_name", pointer(format("relationships/{}/name", index)),
                  format("two relationships have the name {}; rename one", in_quotes(name)));
    }
  }

  void check_expansions() {
    std::set<std::string_view> names;
    for (std::size_t index = 0; index < stream_.expansions.size(); ++index) {
      const Expansion& expansion = stream_.expansions[index];
      const std::string where = format("query/expand/{}", index);
      if (!names.insert(expansion.name).second) {
        faults_.add("duplicate_expand_name", pointer(where + "/name"),
                    format("query.expand names {} twice; remove one", in_quotes(expansion.name)));
      }
      const auto relation = std::ranges::find(stream_.relationships, expansion.name, &Relationship::name);
      if (relation == stream_.relationships.end()) {
        faults_.add("unknown_relationship", pointer(where + "/name"),
                    format("query.expand names {}, which is not a relationship of this stream; declare it under relationships or "
                           "correct the name",
                           in_quotes(expansion.name)));
        continue;
      }
      check_limits(expansion, *relation, pointer(where));
    }
  }

  void check_limits(const Expansion& expansion, const Relationship& relation, const std::string& where) {
    if (!relation.has_many && (expansion.default_limit || expansion.max_limit)) {
      faults_.add("invalid_expand_limits", where,
                  format("{} has one record at most, so it takes no limits; remove them", in_quotes(expansion.name)));
    }
    if (expansion.default_limit && expansion.max_limit && *expansion.default_limit > *expansion.max_limit) {
      faults_.add("invalid_expand_limits", where,
                  format("default_limit {} is over max_limit {}; lower it", *expansion.default_limit, *expansion.max_limit));
    }
  }

  Faults& faults_;
  const Stream& stream_;
  std::string at_;
  std::map<std::string_view, const Field*> fields_;
};

// The foreign key is in the child stream for has_many, in the declaring stream for has_one.
void check_relationships(Faults& faults, const SourceDeclaration& declaration, const Stream& stream, const std::string& at) {
  for (std::size_t index = 0; index < stream.relationships.size(); ++index) {
    const Relationship& relation = stream.relationships[index];
    const std::string where = format("{}/relationships/{}", at, index);
    const Stream* target = declaration.stream(relation.stream);
    if (target == nullptr) {
      faults.add("unknown_stream", where + "/stream",
                 format("relationship {} refers to stream {}, which this source does not declare; declare it or correct the name",
                        in_quotes(relation.name), in_quotes(relation.stream)));
      continue;
    }
    const Stream& holder = relation.has_many ? *target : stream;
    if (holder.field(relation.foreign_key) != nullptr) continue;
    faults.add(
        "unknown_schema_field", where + "/foreign_key",
        format("foreign_key of relationship {} names {}, which schema.properties of stream {} does not have; declare it or "
               "correct the name",
               in_quotes(relation.name), in_quotes(relation.foreign_key), in_quotes(holder.name)));
  }
}

void check_preset(Faults& faults, const SourceDeclaration& declaration, const Preset& preset, const std::string& at) {
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < preset.streams.size(); ++index) {
    const PresetStream& selected = preset.streams[index];
    const std::string where = format("{}/streams/{}", at, index);
    if (!names.insert(selected.name).second) {
      faults.add("duplicate_preset_stream_name", where + "/name",
                 format("preset {} names stream {} twice; remove one", in_quotes(preset.id), in_quotes(selected.name)));
    }
    const Stream* stream = declaration.stream(selected.name);
    if (stream == nullptr) {
      faults.add("unknown_stream", where + "/name",
                 format("preset {} names stream {}, which this source does not declare; declare it or correct the name",
                        in_quotes(preset.id), in_quotes(selected.name)));
      continue;
    }
    if (!selected.view.empty() && stream->view(selected.view) == nullptr) {
      faults.add("unknown_view", where + "/view",
                 format("preset {} names view {}, which stream {} does not have; declare it under views or correct the name",
                        in_quotes(preset.id), in_quotes(selected.view), in_quotes(selected.name)));
    }
    for (const std::string& field : selected.fields) {
      if (stream->field(field) != nullptr) continue;
      faults.add("unknown_schema_field", where + "/fields",
                 format("preset {} names field {}, which schema.properties of stream {} does not have; declare it or correct the "
                        "name",
                        in_quotes(preset.id), in_quotes(field), in_quotes(selected.name)));
    }
  }
}

}  // namespace

void validate(Faults& faults, const SourceDeclaration& declaration, const std::string& pointer) {
  const auto stream_pointer = [&](std::size_t index) { return format("{}/streams/{}", pointer, index); };
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < declaration.streams.size(); ++index) {
    const std::string& name = declaration.streams[index].name;
    if (names.insert(name).second) continue;
    faults.add("duplicate_stream_name", stream_pointer(index) + "/name",
               format("two streams have the name {}; rename one", in_quotes(name)));
  }
  for (std::size_t index = 0; index < declaration.streams.size(); ++index) {
    const Stream& stream = declaration.streams[index];
    faults.set_subject(stream_subject(stream.name));
    StreamCheck(faults, stream, stream_pointer(index)).run();
    check_relationships(faults, declaration, stream, stream_pointer(index));
    faults.set_subject({});
  }
  std::set<std::string_view> ids;
  for (std::size_t index = 0; index < declaration.presets.size(); ++index) {
    const Preset& preset = declaration.presets[index];
    const std::string at = format("{}/selection_presets/{}", pointer, index);
    if (!ids.insert(preset.id).second) {
      faults.add("duplicate_preset_id", at + "/id", format("two presets have the id {}; rename one", in_quotes(preset.id)));
    }
    check_preset(faults, declaration, preset, at);
  }
}

}  // namespace ladder::model::parts

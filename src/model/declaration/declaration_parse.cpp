// The shape of a declaration: closed objects, required members, types (PDPP "source declarations").
// declaration_validate.cpp checks references between names later.
#include "base/limits.h"
#include "base/text/format.h"
#include "json/parse.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration_parts.h"
#include "model/quote.h"
#include "model/record_id.h"
#include "model/uri.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

namespace ladder::model {
namespace parts {

std::string stream_subject(std::string_view name) { return format("stream {}", in_quotes(name)); }

namespace {

// Names that are invalid in an id, a path or a file name would create records that cannot be requested.
std::string read_stream_name(Faults& faults, ClosedObject& stream) {
  const boost::json::value* value = stream.required("name");
  const boost::json::string* text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) {
    if (value != nullptr) faults.add("invalid_member", stream.pointer("name"), "a stream's name must be a string");
    return {};
  }
  std::string name(text->data(), text->size());
  if (!is_safe_name(name) || name == "*" || name.size() > limits::kMaxNameBytes || name.find(':') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    faults.add("invalid_stream_name", stream.pointer("name"),
               format("{} cannot name a stream: use 1 to {} bytes without \":\", \"/\", \"\\\", \"..\" or NUL, and not \"*\"",
                      in_quotes(name), limits::kMaxNameBytes));
  }
  return name;
}

std::string read_uri(Faults& faults, ClosedObject& object, std::string_view name) {
  std::string uri = object.text(name);
  if (!uri.empty() && !is_absolute_uri(uri)) {
    faults.add("invalid_member", object.pointer(name),
               format("{} is not an absolute URI such as https://example.org/notes", in_quotes(uri)));
  }
  return uri;
}

void read_views(Faults& faults, ClosedObject& stream, Stream& out) {
  stream.optional_each("views", [&](const boost::json::value& value, const std::string& pointer) {
    ClosedObject view(faults, &value, pointer, {"id", "label", "fields"});
    out.views.push_back(View{view.text("id"), view.text("label"), view.texts("fields")});
  });
}

void read_relationships(Faults& faults, ClosedObject& stream, Stream& out) {
  stream.optional_each("relationships", [&](const boost::json::value& value, const std::string& pointer) {
    ClosedObject relation(faults, &value, pointer, {"name", "stream", "foreign_key", "cardinality"});
    out.relationships.push_back(Relationship{relation.text("name"), relation.text("stream"), relation.text("foreign_key"),
                                             relation.choice("cardinality", {"has_one", "has_many"}) == "has_many"});
  });
}

void read_range_filters(Faults& faults, ClosedObject& query, Stream& out) {
  const boost::json::value* value = query.optional("range_filters");
  ClosedObject filters(faults, value, query.pointer("range_filters"), {});
  if (value == nullptr || !value->is_object()) return;
  for (const auto& member : value->get_object()) {
    const std::string field(member.key().data(), member.key().size());
    std::vector<std::string> operators = filters.texts(field);
    for (const std::string& each : operators) {
      if (each == "gte" || each == "gt" || each == "lte" || each == "lt") continue;
      faults.add("invalid_member", filters.pointer(field),
                 format("{} is not a range operator; use gte, gt, lte or lt", in_quotes(each)));
    }
    out.range_filters.emplace(field, std::move(operators));
  }
}

void read_aggregations(Faults& faults, ClosedObject& query, Stream& out) {
  ClosedObject object(faults, query.optional("aggregations"), query.pointer("aggregations"),
                      {"count", "count_distinct", "group_by", "group_by_time", "max", "min", "sum"});
  if (const boost::json::value* count = object.optional("count")) {
    out.aggregations.count = *count == true;
    if (!out.aggregations.count)
      faults.add("invalid_member", object.pointer("count"), "count can only be true; remove it otherwise");
  }
  out.aggregations.count_distinct = object.optional_texts("count_distinct");
  out.aggregations.group_by = object.optional_texts("group_by");
  out.aggregations.group_by_time = object.optional_texts("group_by_time");
  out.aggregations.max = object.optional_texts("max");
  out.aggregations.min = object.optional_texts("min");
  out.aggregations.sum = object.optional_texts("sum");
}

void read_query(Faults& faults, ClosedObject& stream, Stream& out) {
  const boost::json::value* value = stream.optional("query");
  if (value == nullptr) return;
  ClosedObject query(faults, value, stream.pointer("query"), {"range_filters", "search", "aggregations", "expand"});
  read_range_filters(faults, query, out);
  ClosedObject search(faults, query.optional("search"), query.pointer("search"), {"lexical_fields", "semantic_fields"});
  out.lexical_fields = search.optional_texts("lexical_fields");
  out.semantic_fields = search.optional_texts("semantic_fields");
  read_aggregations(faults, query, out);
  if (query.optional("expand") == nullptr) return;
  query.each("expand", [&](const boost::json::value& each, const std::string& pointer) {
    ClosedObject expand(faults, &each, pointer, {"name", "default_limit", "max_limit"});
    out.expansions.push_back(
        Expansion{expand.text("name"), expand.optional_integer("default_limit", 1), expand.optional_integer("max_limit", 1)});
  });
}

Stream read_stream(Faults& faults, const boost::json::value& value, const std::string& pointer, std::string_view schema_text) {
  Stream out;
  if (const boost::json::object* object = value.if_object()) {
    const boost::json::value* name = object->if_contains("name");
    if (name != nullptr && name->is_string()) {
      faults.set_subject(stream_subject({name->get_string().data(), name->get_string().size()}));
    }
  }
  ClosedObject stream(faults, &value, pointer,
                      {"name", "semantics", "schema", "primary_key", "selection", "cursor_field", "consent_time_field",
                       "description", "display", "views", "relationships", "query"});
  out.name = read_stream_name(faults, stream);
  out.semantics = stream.choice("semantics", {"append_only", "mutable_state"}) == "append_only" ? Semantics::kAppendOnly
                                                                                                : Semantics::kMutableState;
  read_schema(faults, stream.required("schema"), stream.pointer("schema"), out);
  out.schema_json = schema_text;
  out.primary_key = stream.texts("primary_key");
  ClosedObject selection(faults, stream.required("selection"), stream.pointer("selection"), {"fields", "resources"});
  out.select_fields = selection.boolean("fields");
  out.select_resources = selection.boolean("resources");
  out.cursor_field = stream.optional_text("cursor_field");
  out.consent_time_field = stream.optional_text("consent_time_field");
  out.description = stream.optional_text("description");
  ClosedObject display(faults, stream.optional("display"), stream.pointer("display"), {"label", "detail"});
  out.label = display.optional_text("label");
  out.detail = display.optional_text("detail");
  read_views(faults, stream, out);
  read_relationships(faults, stream, out);
  read_query(faults, stream, out);
  faults.set_subject({});
  return out;
}

void read_presets(Faults& faults, ClosedObject& root, SourceDeclaration& out) {
  root.optional_each("selection_presets", [&](const boost::json::value& value, const std::string& pointer) {
    ClosedObject object(faults, &value, pointer, {"id", "label", "streams"});
    Preset preset{object.text("id"), object.text("label"), {}};
    object.each("streams", [&](const boost::json::value& each, const std::string& place) {
      ClosedObject stream(faults, &each, place, {"name", "view", "fields"});
      preset.streams.push_back(PresetStream{stream.text("name"), stream.optional_text("view"), stream.optional_texts("fields")});
      if (stream.optional("view") != nullptr && stream.optional("fields") != nullptr) {
        faults.add("invalid_member", place, "a preset names a view or fields, not both; remove one");
      }
    });
    out.presets.push_back(std::move(preset));
  });
}

void check_extensions(Faults& faults, ClosedObject& root) {
  const boost::json::value* extensions = root.optional("extensions");
  if (extensions == nullptr) return;
  const ClosedObject object(faults, extensions, root.pointer("extensions"), {});
  if (!extensions->is_object()) return;
  for (const auto& member : extensions->get_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    if (is_absolute_uri(name)) continue;
    faults.add("invalid_member", object.pointer(name),
               format("{} is not an absolute URI; extensions are named by absolute URIs", in_quotes(name)));
  }
}

// The source text of the schemas, in stream order; the tree loses the exact form of numbers.
std::vector<std::string> schema_texts(std::string_view core_text) {
  std::vector<std::string> out;
  const json::Value root = json::value_of(core_text);
  if (root.kind != json::Kind::kObject) return out;
  const auto streams = json::member(root.text, "streams");
  if (!streams || streams->kind != json::Kind::kArray) return out;
  for (json::Elements each(streams->text); each.next();) {
    const bool is_object = each.value().kind == json::Kind::kObject;
    const auto schema = is_object ? json::member(each.value().text, "schema") : std::nullopt;
    out.emplace_back(schema ? schema->text : std::string_view());
  }
  return out;
}

SourceDeclaration read_declaration(Faults& faults, const CoreDocument& core) {
  SourceDeclaration out;
  ClosedObject root(faults, &core.tree, core.pointer,
                    {"protocol_version", "source", "declaration_version", "publisher", "display", "selection_presets", "streams",
                     "extensions"});
  root.choice("protocol_version", {"0.1.0"});
  ClosedObject source(faults, root.required("source"), root.pointer("source"), {"kind", "id"});
  out.source_kind = source.choice("kind", {"connector", "provider_native"});
  out.source_id = read_uri(faults, source, "id");
  out.version = root.text("declaration_version");
  ClosedObject publisher(faults, root.required("publisher"), root.pointer("publisher"), {"id"});
  out.publisher = read_uri(faults, publisher, "id");
  ClosedObject display(faults, root.required("display"), root.pointer("display"), {"name"});
  out.display_name = display.text("name");
  const std::vector<std::string> schemas = schema_texts(core.text);
  root.each("streams", [&](const boost::json::value& value, const std::string& pointer) {
    const std::size_t index = out.streams.size();
    out.streams.push_back(read_stream(faults, value, pointer, index < schemas.size() ? schemas[index] : std::string()));
  });
  read_presets(faults, root, out);
  check_extensions(faults, root);
  return out;
}

}  // namespace
}  // namespace parts

Result<SourceDeclaration> parse_declaration(std::string_view text) {
  Result<boost::json::value> tree = json::parse(text, limits::kMaxDeclarationBytes, limits::kMaxJsonDepth);
  const bool checked = tree && json::check(text, limits::kMaxJsonDepth).has_value();
  if (!checked) {
    Faults faults(Code::kConnectorInvalid, parts::kFamily);
    faults.add("malformed", "",
               format("the declaration is not a JSON document: {}", tree ? "malformed text" : tree.error().message));
    LADDER_CHECK(faults.status());
  }
  LADDER_TRY(parts::CoreDocument core, parts::core_document(*std::move(tree), text));
  Faults faults(Code::kConnectorInvalid, parts::kFamily);
  SourceDeclaration out = parts::read_declaration(faults, core);
  if (!faults.any()) parts::validate(faults, out, core.pointer);
  if (!faults.any()) parts::set_levels(faults, out, core.pointer);
  LADDER_CHECK(faults.status());
  out.text = json::canonical(core.tree);
  out.document = std::move(core.text);
  return out;
}

}  // namespace ladder::model

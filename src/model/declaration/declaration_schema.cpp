// A stream's JSON Schema: its top-level properties become fields, references must stay inside the document, blob_ref
// has a fixed shape, and the schema is compiled for validating records.
#include "base/limits.h"
#include "base/text/format.h"
#include "model/declaration/declaration_parts.h"
#include "model/quote.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ladder::model::parts {
namespace {

constexpr std::string_view kDialect = "https://json-schema.org/draft/2020-12/schema";
constexpr std::string_view kFoldCopies = "fold";

std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }
std::string_view view(boost::json::string_view text) { return {text.data(), text.size()}; }

bool is_text(const boost::json::value& value, std::string_view expected) {
  const boost::json::string* text = value.if_string();
  return text != nullptr && view(*text) == expected;
}

FieldType type_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, FieldType>, 6> kTypes = {{{"boolean", FieldType::kBoolean},
                                                                             {"integer", FieldType::kInteger},
                                                                             {"number", FieldType::kNumber},
                                                                             {"string", FieldType::kString},
                                                                             {"object", FieldType::kObject},
                                                                             {"array", FieldType::kArray}}};
  const auto found = std::ranges::find(kTypes, name, &std::pair<std::string_view, FieldType>::first);
  return found == kTypes.end() ? FieldType::kAny : found->second;
}

// The declared types without "null": queries need exactly one type.
struct DeclaredType {
  FieldType type = FieldType::kAny;
  bool nullable = false;
};

DeclaredType declared_type(const boost::json::value& schema) {
  DeclaredType out;
  const boost::json::object* object = schema.if_object();
  const boost::json::value* type = object == nullptr ? nullptr : object->if_contains("type");
  if (type == nullptr) return out;
  std::vector<std::string_view> names;
  if (const boost::json::string* one = type->if_string()) names.push_back(view(*one));
  if (const boost::json::array* several = type->if_array()) {
    for (const boost::json::value& name : *several) {
      if (const boost::json::string* text = name.if_string()) names.push_back(view(*text));
    }
  }
  out.nullable = std::erase(names, "null") > 0;
  if (names.size() == 1) out.type = type_named(names.front());
  return out;
}

std::string text_member(const boost::json::value& schema, const char* name) {
  const boost::json::object* object = schema.if_object();
  const boost::json::value* member = object == nullptr ? nullptr : object->if_contains(name);
  const boost::json::string* text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? std::string() : std::string(view(*text));
}

std::set<std::string_view> required_names(const boost::json::object& schema) {
  std::set<std::string_view> out;
  const boost::json::value* required = schema.if_contains("required");
  const boost::json::array* names = required == nullptr ? nullptr : required->if_array();
  if (names == nullptr) return out;
  for (const boost::json::value& name : *names) {
    if (const boost::json::string* text = name.if_string()) out.insert(view(*text));
  }
  return out;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Follows schemas, not data: a property may be named "$ref", and an example may contain one.
void check_references(Faults& faults, const boost::json::value& schema, const std::string& pointer) {
  if (const boost::json::array* array = schema.if_array()) {
    for (std::size_t index = 0; index < array->size(); ++index)
      check_references(faults, (*array)[index], child_pointer(pointer, index));
    return;
  }
  const boost::json::object* object = schema.if_object();
  if (object == nullptr) return;
  for (const auto& member : *object) {
    const std::string_view name = view(member.key());
    const std::string at = child_pointer(pointer, name);
    if (is_one_of(name, {"$ref", "$dynamicRef"})) {
      const boost::json::string* target = member.value().if_string();
      if (target != nullptr && target->starts_with('#')) continue;
      faults.add("nonlocal_schema_reference", at,
                 format("{} must point inside this schema (\"#/$defs/…\"); copy what it refers to into $defs", name));
    } else if (is_one_of(name, {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})) {
      const boost::json::object* schemas = member.value().if_object();
      if (schemas == nullptr) continue;
      for (const auto& each : *schemas) check_references(faults, each.value(), child_pointer(at, view(each.key())));
    } else if (!is_one_of(name, {"const", "enum", "default", "examples"})) {
      check_references(faults, member.value(), at);
    }
  }
}

// A blob reference is the only property whose shape Ladder itself reads (PDPP "connector manifests").
void check_blob_ref(Faults& faults, const boost::json::value& schema, const std::string& pointer) {
  const auto refuse = [&](std::string_view what) {
    faults.add(
        "invalid_blob_ref", pointer,
        format("blob_ref {}; declare an object with blob_id, mime_type and sha256 as strings and size_bytes as an integer, "
               "requiring blob_id, or give the property another name",
               what));
  };
  if (declared_type(schema).type != FieldType::kObject) return refuse("is not declared as an object");
  const boost::json::object& object = schema.get_object();
  const boost::json::value* members = object.if_contains("properties");
  if (members == nullptr || !members->is_object()) return refuse("declares no properties");
  constexpr std::array<std::pair<const char*, FieldType>, 4> kMembers = {{{"blob_id", FieldType::kString},
                                                                          {"mime_type", FieldType::kString},
                                                                          {"sha256", FieldType::kString},
                                                                          {"size_bytes", FieldType::kInteger}}};
  for (const auto& [name, type] : kMembers) {
    const boost::json::value* member = members->get_object().if_contains(name);
    if (member == nullptr) return refuse(format("does not declare \"{}\"", name));
    if (declared_type(*member).type != type) return refuse(format("declares \"{}\" with another type", name));
  }
  if (!required_names(object).contains("blob_id")) refuse("does not require blob_id");
}

void check_field_name(Faults& faults, std::string_view name, const std::string& pointer) {
  if (!name.empty() && name.size() <= limits::kMaxNameBytes && name.find('\0') == std::string_view::npos) return;
  faults.add("invalid_field_name", pointer,
             format("a property name must have 1 to {} bytes and no NUL; rename it", limits::kMaxNameBytes));
}

bool identifies_copies(Faults& faults, const boost::json::value& declared, const std::string& pointer) {
  const boost::json::value* const said = declared.is_object() ? declared.get_object().if_contains("x_pdpp_copies") : nullptr;
  if (said == nullptr) return false;
  if (is_text(*said, kFoldCopies)) return true;
  faults.add("invalid_member", child_pointer(pointer, "x_pdpp_copies"),
             format("x_pdpp_copies must be \"{}\", so that a search shows one of the records that have the same here; change or "
                    "remove it",
                    kFoldCopies));
  return false;
}

void read_fields(Faults& faults, const boost::json::object& schema, const std::string& pointer, Stream& stream) {
  const boost::json::value* properties = schema.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) {
    faults.add("invalid_member", child_pointer(pointer, "properties"),
               "schema.properties must be an object that declares the stream's fields");
    return;
  }
  const std::string at = child_pointer(pointer, "properties");
  const std::set<std::string_view> required = required_names(schema);
  for (const auto& member : properties->get_object()) {
    const std::string_view name = view(member.key());
    const boost::json::value& declared = member.value();
    const DeclaredType type = declared_type(declared);
    check_field_name(faults, name, child_pointer(at, name));
    if (name == "blob_ref") check_blob_ref(faults, declared, child_pointer(at, name));
    stream.fields.push_back(Field{.name = std::string(name),
                                  .type = type.type,
                                  .nullable = type.nullable,
                                  .required = required.contains(name),
                                  .format = text_member(declared, "format"),
                                  .role = text_member(declared, "x_pdpp_role"),
                                  .hint = text_member(declared, "x_pdpp_type"),
                                  .belongs_to = text_member(declared, "x_pdpp_belongs_to"),
                                  .identifies_copies = identifies_copies(faults, declared, child_pointer(at, name)),
                                  .media_type = text_member(declared, "contentMediaType"),
                                  .description = text_member(declared, "description"),
                                  .title = text_member(declared, "title"),
                                  .level = text_member(declared, "x_pdpp_level")});
  }
}

// Reads the names of the stream's levels. set_levels adds their fields.
void read_levels(Faults& faults, const boost::json::value& schema, const std::string& pointer, Stream& stream) {
  stream.levels_of = text_member(schema, "x_pdpp_levels_of");
  const boost::json::value* levels = schema.get_object().if_contains("x_pdpp_levels");
  if (levels == nullptr) return;
  const std::string at = child_pointer(pointer, "x_pdpp_levels");
  const boost::json::array* each = levels->if_array();
  if (each == nullptr || each->empty()) {
    faults.add("invalid_member", at, "x_pdpp_levels must be a list of levels, the lowest first; change or remove it");
    return;
  }
  for (std::size_t index = 0; index < each->size(); ++index) {
    ClosedObject level(faults, &(*each)[index], child_pointer(at, index), {"id", "label", "detail"});
    stream.levels.push_back(Level{level.text("id"), level.text("label"), level.optional_text("detail"), {}});
  }
}

}  // namespace

void read_schema(Faults& faults, const boost::json::value* schema, const std::string& pointer, Stream& stream) {
  if (schema == nullptr) return;
  const boost::json::object* object = schema->if_object();
  if (object == nullptr) {
    faults.add("invalid_member", pointer, format("the schema must be an object, not {}", kind_name(*schema)));
    return;
  }
  if (const boost::json::value* dialect = object->if_contains("$schema"); dialect != nullptr && !is_text(*dialect, kDialect)) {
    faults.add("invalid_member", child_pointer(pointer, "$schema"),
               format("$schema must be \"{}\"; change or remove it", kDialect));
  }
  if (object->contains("type") && declared_type(*schema).type != FieldType::kObject) {
    faults.add("invalid_member", child_pointer(pointer, "type"), "records are objects, so schema.type must be \"object\"");
  }
  check_references(faults, *schema, pointer);
  read_fields(faults, *object, pointer, stream);
  read_levels(faults, *schema, pointer, stream);
  if (faults.any()) return;
  Result<json::Schema> compiled = json::Schema::compile(*schema);
  if (!compiled) {
    faults.add("invalid_schema", pointer, compiled.error().message);
    return;
  }
  stream.schema = *std::move(compiled);
}

}  // namespace ladder::model::parts

// Source declarations and connector manifests. A rejection names a rule of its family; an accepted declaration refers
// only to what it declares, and both stored texts parse to the same declaration.
#include "base/text/utf8.h"
#include "frame.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"

#include <set>

namespace ladder::fuzz {
namespace {

using model::SourceDeclaration;
using model::Stream;

void check_refusal(const Error& error) {
  FUZZ_CHECK(error.code == Code::kConnectorInvalid && error.more);
  FUZZ_CHECK(error.more->rule.starts_with("source.declaration.") && error.more->rule.back() != '.');
  FUZZ_CHECK(!error.message.empty() && utf8::is_valid(error.message));
}

void check_fields(const Stream& stream, const std::vector<std::string>& names) {
  for (const std::string& name : names) FUZZ_CHECK(stream.field(name) != nullptr);
}

void check_stream(const SourceDeclaration& declaration, const Stream& stream) {
  FUZZ_CHECK(!stream.name.empty() && declaration.stream(stream.name) == &stream);
  FUZZ_CHECK(!stream.primary_key.empty());
  check_fields(stream, stream.primary_key);
  if (!stream.cursor_field.empty()) {
    const model::Field* cursor = stream.field(stream.cursor_field);
    FUZZ_CHECK(cursor != nullptr);
    FUZZ_CHECK(cursor->is_time() || cursor->type == model::FieldType::kInteger || cursor->type == model::FieldType::kNumber);
  }
  if (!stream.consent_time_field.empty()) check_fields(stream, {stream.consent_time_field});
  for (const model::View& view : stream.views) {
    FUZZ_CHECK(stream.view(view.id) == &view);
    check_fields(stream, view.fields);
  }
  for (const auto& [field, operators] : stream.range_filters) check_fields(stream, {field});
  check_fields(stream, stream.lexical_fields);
  check_fields(stream, stream.semantic_fields);
  for (const model::Relationship& relation : stream.relationships) {
    const Stream* target = declaration.stream(relation.stream);
    FUZZ_CHECK(target != nullptr);
    check_fields(relation.has_many ? *target : stream, {relation.foreign_key});
  }
  std::set<std::string> names;
  for (const model::Field& field : stream.fields) FUZZ_CHECK(names.insert(field.name).second);
  FUZZ_CHECK(json::check(stream.schema_json, 64).has_value());
}

bool same_fields(const Stream& a, const Stream& b) {
  if (a.fields.size() != b.fields.size()) return false;
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    if (a.fields[i].name != b.fields[i].name || a.fields[i].type != b.fields[i].type ||
        a.fields[i].required != b.fields[i].required || a.fields[i].nullable != b.fields[i].nullable) {
      return false;
    }
  }
  return true;
}

void check_document(const SourceDeclaration& declaration) {
  const auto again = model::parse_declaration(declaration.document);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->text == declaration.text && again->document == declaration.document);
  FUZZ_CHECK(again->streams.size() == declaration.streams.size());
  for (std::size_t i = 0; i < again->streams.size(); ++i) {
    FUZZ_CHECK(again->streams[i].name == declaration.streams[i].name);
    FUZZ_CHECK(same_fields(again->streams[i], declaration.streams[i]));
    FUZZ_CHECK(again->streams[i].schema_json == declaration.streams[i].schema_json);
  }
}

}  // namespace

void run(std::string_view input) {
  const auto declaration = model::parse_declaration(input);
  if (!declaration) return check_refusal(declaration.error());
  for (const Stream& stream : declaration->streams) check_stream(*declaration, stream);
  const std::string key = declaration->default_key();
  FUZZ_CHECK(key.empty() || model::is_connector_key(key));
  declaration->unenforced();
  const auto again = model::parse_declaration(declaration->text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(again->text == declaration->text && again->source_id == declaration->source_id);
  check_document(*declaration);
}

}  // namespace ladder::fuzz

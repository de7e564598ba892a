// The source declaration: the streams of a source, the meaning of their fields and the supported queries. Parsed once
// from the owner's JSON, fully validated, then immutable and thread-safe.
#pragma once

#include "base/error/error.h"
#include "json/schema/schema.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

enum class Semantics : std::uint8_t { kAppendOnly, kMutableState };
enum class FieldType : std::uint8_t { kAny, kBoolean, kInteger, kNumber, kString, kObject, kArray };

// A declared top-level property, in declared order.
struct Field {
  std::string name;
  FieldType type = FieldType::kAny;  // the one declared type besides null; kAny if none or several
  bool nullable = false;
  bool required = false;
  std::string format;  // "date", "date-time", "date-time-local" (without a zone), …
  std::string role;    // x_pdpp_role
  std::string hint;    // x_pdpp_type
  std::string belongs_to =
      {};  // x_pdpp_belongs_to: the field identifies the group of the record, and this names the kind of group
  bool identifies_copies = false;  // x_pdpp_copies: records with equal values in all such fields are copies of each other
  std::string media_type = {};     // contentMediaType
  std::string description;
  std::string title = {};  // the label for people; read it with label()
  bool is_text = false;    // says what the record says, by its role or, in a stream with derived levels, because it is searched
  std::string level = {};  // x_pdpp_level: the lowest level that includes it; empty: technical, only the last level does

  std::string label() const;  // the title, or the name as words

  bool is_time() const {
    return type == FieldType::kString && (format == "date" || format == "date-time" || format == "date-time-local");
  }
};

struct View {
  std::string id;
  std::string label;
  std::vector<std::string> fields;
};

// How much of a kind of data an owner shares. Each level of a stream includes the ones before it.
struct Level {
  std::string id;
  std::string label, detail;        // for people; a derived level has no detail
  std::vector<std::string> fields;  // including those of the lower levels, in declared order
};

struct Relationship {
  std::string name;
  std::string stream;
  std::string foreign_key;
  bool has_many = false;
};

struct Expansion {
  std::string name;
  std::optional<std::int64_t> default_limit;
  std::optional<std::int64_t> max_limit;
};

struct Aggregations {
  bool count = false;
  std::vector<std::string> count_distinct, group_by, group_by_time, max, min, sum;
};

struct Stream {
  std::string name;
  Semantics semantics = Semantics::kMutableState;
  std::vector<std::string> primary_key;
  std::string cursor_field;        // empty when there is none
  std::string consent_time_field;  // empty when there is none
  std::string description;
  std::string label, detail;  // display
  bool select_fields = false;
  bool select_resources = false;
  std::vector<Field> fields;
  std::vector<View> views;
  std::vector<Level> levels;  // lowest first, declared (x_pdpp_levels) or derived from the roles of the fields; never empty
  std::string levels_of;      // x_pdpp_levels_of: the stream that this one belongs to and whose levels it has
  std::vector<Relationship> relationships;
  std::map<std::string, std::vector<std::string>> range_filters;  // field → operators
  std::vector<std::string> lexical_fields, semantic_fields;
  Aggregations aggregations;
  std::vector<Expansion> expansions;
  json::Schema schema;
  std::string schema_json;  // the schema as text

  const Field* field(std::string_view field_name) const;
  const View* view(std::string_view id) const;
};

struct PresetStream {
  std::string name;
  std::string view;  // empty when `fields` is used or neither
  std::vector<std::string> fields;
};

struct Preset {
  std::string id;
  std::string label;
  std::vector<PresetStream> streams;
};

struct SourceDeclaration {
  std::string source_kind;  // "connector" or "provider_native"; provenance only
  std::string source_id;    // absolute URI: the authorization identity
  std::string version;      // opaque
  std::string publisher;
  std::string display_name;
  std::vector<Preset> presets;
  std::vector<Stream> streams;
  std::string text;      // canonical JSON of the whole declaration: equal declarations have equal texts
  std::string document;  // the Core document, minified, members in declared order, as stored. Unlike `text` (sorted),
                         // parse_declaration reads it back with the same fields in the same order.

  const Stream* stream(std::string_view name) const;
  std::string default_key() const;              // the slug of the last path segment of source_id; "" if there is none
  std::vector<std::string> unenforced() const;  // "stream: /pointer" of schema keywords that are accepted but not enforced
};

// Accepts a Core SourceDeclaration, or a connector manifest that embeds one as `source_declaration` or can be converted
// to one. kConnectorInvalid; details().rule holds the failure's name ("source.declaration.unknown_schema_field", …) and
// the message names the position in the document. Malformed JSON is kConnectorInvalid with rule
// "source.declaration.malformed".
Result<SourceDeclaration> parse_declaration(std::string_view text);

// A connector key: ^[a-z0-9][a-z0-9._-]*$, at most kMaxNameBytes.
bool is_connector_key(std::string_view key);

// Lists the fields that a stream requires besides its key. Every grant of the stream includes them, whatever fields it
// names (PDPP "making a grant").
std::vector<std::string> required_content(const Stream& stream);  // in declared order
bool requires_content(const SourceDeclaration& declaration);      // any of its streams does

}  // namespace ladder::model

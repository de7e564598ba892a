// The schema that a caller sees: sources, streams, fields and their accurate capabilities (PDPP "schema and streams",
// design D15). Typed, so that REST, MCP and the command line render the same data.
#pragma once

#include "model/declaration/declaration.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ladder::api {

struct SchemaRequest {
  std::string stream;         // empty: all
  std::string connection_id;  // empty: all
  bool full_detail = false;   // kInvalidRequest without a stream; kAmbiguousConnection if several sources have it
  bool counted = true;        // false: omits record counts and times, which need reads
};

// A capability: declared by the source, and usable under this grant.
struct Capability {
  bool declared = false;
  bool usable = false;
};

struct FieldView {
  std::string name;
  std::string type;  // x_pdpp_type, or the declared JSON type(s) joined by "|"
  std::string role;
  std::string label = {};  // for people
  std::string level = {};  // the lowest level that includes it; empty: only the last one
  bool identifies_group = false, is_text = false;
  std::string schema_json;  // the property's schema
  bool granted = false;
  Capability exact_filter, range_filter, lexical_search, semantic_search;
  std::vector<std::string> range_operators;
  Capability sum, min, max, group_by, group_by_time, count_distinct;
};

struct ExpandView {
  std::string name, target_stream, foreign_key;
  bool has_many = false;
  std::optional<std::int64_t> default_limit, max_limit;
  bool usable = true;  // false: the foreign key is not granted
};

struct ConnectionView {
  std::string connection_id;
  std::string display_name;
  std::int64_t record_count = 0;  // visible records; -1: too many to count
  std::string last_updated;       // newest visible time under granted fields; empty if unknown
};

struct TimeBounds {
  std::string field, since, until;
};

struct StreamView {
  std::string name;
  std::string label, detail, description;
  std::string semantics;    // append_only or mutable_state
  std::string schema_json;  // the declared schema of the records
  std::vector<std::string> primary_key;
  std::string cursor_field, consent_time_field;
  bool select_fields = false, select_resources = false;
  std::vector<model::View> views;         // views with all fields granted
  std::vector<model::Level> levels = {};  // of the consent page; lowest first
  std::string levels_of = {};             // the stream that this one belongs to on the consent page; empty: none
  std::vector<model::Relationship> relationships;
  std::vector<FieldView> fields;  // declared order
  std::vector<ExpandView> expansions;
  std::vector<ConnectionView> connections;
  bool count_aggregation = false;
  std::optional<TimeBounds> time_bounds;  // from the grant
  std::vector<std::string> resources;     // from the grant; empty: every record
  // The total of all connections, if a server reports nothing more specific.
  std::optional<std::int64_t> record_count = {};
};

// Returns the number of visible records in all connections; -1 if unknown.
std::int64_t records_in(const StreamView& stream);

struct SourceView {
  std::string source_kind, source_id, connector_key, display_name;
  std::vector<StreamView> streams;
};

struct SchemaView {
  std::string token_kind;  // "owner" or "client"
  std::string client_id;
  std::vector<std::string> grant_ids;
  std::vector<SourceView> sources;
  std::string request_id = {};  // from a remote server, as in other responses
};

// The fields with a record's title, text, time, author and URL, as declared by its source (design D22). Field names
// are not interpreted.
struct DocumentRoles {
  std::string title, text, time, author, url;  // field names; empty if none is declared
};

// Returns true if a field with this declared role contains its record's text.
bool is_text_role(std::string_view role);

DocumentRoles roles_of(const StreamView& stream);

// Like the function above, without fields that are not granted.
DocumentRoles granted_roles_of(const StreamView& stream);

}  // namespace ladder::api

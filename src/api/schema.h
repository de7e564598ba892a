// The schema that a caller sees through the port: sources, streams, fields and what may be asked of them, truthfully (PDPP
// "schema and streams", design D15). Typed, so that REST, MCP and the command line render the same facts.
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
  bool full_detail = false;   // kInvalidRequest without a stream; kAmbiguousConnection when several sources have it
  bool counted = true;        // false: without how many records there are and how new they are, which takes reading them
};

// A capability: declared by the source, and usable under this grant.
struct Capability {
  bool declared = false;
  bool usable = false;
};

struct FieldView {
  std::string name;
  std::string type;  // x_pdpp_type, else the declared JSON type(s) joined by "|"
  std::string role;
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
  bool usable = true;  // false: the grant does not show the foreign key that joins
};

struct ConnectionView {
  std::string connection_id;
  std::string display_name;
  std::int64_t record_count = 0;  // of visible records; -1 when there are too many to count
  std::string last_updated;       // newest visible time under granted fields; empty when unknown
};

struct TimeBounds {
  std::string field, since, until;
};

struct StreamView {
  std::string name;
  std::string label, detail, description;
  std::string semantics;    // append_only or mutable_state
  std::string schema_json;  // the records' schema as declared
  std::vector<std::string> primary_key;
  std::string cursor_field, consent_time_field;
  bool select_fields = false, select_resources = false;
  std::vector<model::View> views;  // those whose every field is granted
  std::vector<model::Relationship> relationships;
  std::vector<FieldView> fields;  // declared order
  std::vector<ExpandView> expansions;
  std::vector<ConnectionView> connections;
  bool count_aggregation = false;
  std::optional<TimeBounds> time_bounds;  // the grant's
  std::vector<std::string> resources;     // the grant's; empty: every record
  // Of all connections together, where a server tells no more than that.
  std::optional<std::int64_t> record_count = {};
};

// How many visible records the stream has in all connections; -1 when that is not known.
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
  std::string request_id = {};  // what a server elsewhere calls the request; likewise in the other answers
};

// The fields of a stream that stand for a record's title, text, time, author and address, as its source declares them (design
// D22). Names of fields mean nothing here.
struct DocumentRoles {
  std::string title, text, time, author, url;  // names of fields; empty when none is declared
};

// True if a field with this declared role holds the text of its record.
bool is_text_role(std::string_view role);

DocumentRoles roles_of(const StreamView& stream);

// The same without fields that the reader may not see.
DocumentRoles granted_roles_of(const StreamView& stream);

}  // namespace ladder::api

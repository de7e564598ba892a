// GET /v1/schema: the caller, and the sources with their streams, in full or compact form (PDPP "schema and
// streams").
#include "api/render/render.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::api {
namespace {

using json::Writer;

// Returns a key that identifies a set of connections.
std::string names_of(const std::vector<ConnectionView>& connections) {
  std::string names;
  for (const ConnectionView& connection : connections) names += connection.connection_id + "\n" + connection.display_name + "\n";
  return names;
}

void write_compact_streams(Writer& out, const SourceView& source) {
  const std::vector<ConnectionView>* shared = common_connections(source);
  if (shared) write_connections(out, "granted_connections", *shared);
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object();
    write_compact_stream(out, source, stream, {.connections = !shared || !same_connections(stream.connections, *shared)});
    out.end_object();
  }
  out.end_array();
}

void write_full_streams(Writer& out, const SourceView& source) {
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object();
    write_stream(out, stream);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_bearer(Writer& out, const SchemaView& view) {
  out.key("bearer").begin_object().member("token_kind", view.token_kind);
  out.member("scope", view.token_kind == "owner" ? "owner" : "grant");
  if (!view.grant_ids.empty()) out.member("grant_id", view.grant_ids.front());
  if (view.grant_ids.size() > 1) out.member("grant_ids", view.grant_ids);
  out.optional_member("client_id", view.client_id).end_object();
}

const std::vector<ConnectionView>* common_connections(const SourceView& source) {
  std::map<std::string, int> seen;
  const std::vector<ConnectionView>* best = nullptr;
  int most = 0;
  for (const StreamView& stream : source.streams) {
    if (stream.connections.empty()) continue;
    if (const int times = ++seen[names_of(stream.connections)]; times > most) {
      most = times;
      best = &stream.connections;
    }
  }
  return best;
}

bool same_connections(const std::vector<ConnectionView>& a, const std::vector<ConnectionView>& b) {
  return names_of(a) == names_of(b);
}

std::string render_schema(const SchemaView& view, SchemaForm form, bool counted, const ResponseTail& response_tail) {
  Writer out;
  out.begin_object().member("object", "schema");
  if (form == SchemaForm::kCompact) out.member("detail", "compact");
  write_bearer(out, view);
  std::int64_t streams = 0;
  for (const SourceView& source : view.sources) streams += std::ssize(source.streams);
  if (counted) out.member("connector_count", std::ssize(view.sources)).member("stream_count", streams);
  out.key("connectors").begin_array();
  for (const SourceView& source : view.sources) {
    out.begin_object().member("object", "connector");
    write_source(out, source);
    out.optional_member("display_name", source.display_name).member("stream_count", std::ssize(source.streams));
    form == SchemaForm::kCompact ? write_compact_streams(out, source) : write_full_streams(out, source);
    out.end_object();
  }
  out.end_array();
  write_response_tail(out, response_tail);
  if (!response_tail.imports.empty()) out.key("imports").raw(response_tail.imports);
  return out.end_object().take();
}

// One stream's complete metadata (PDPP "schema and streams"): what is declared, granted and usable.

namespace {

using json::Writer;

constexpr std::string_view kNotGranted = "field_not_granted";

void write_flag(Writer& out, std::string_view name, const Capability& capability) {
  out.key(name).begin_object().member("declared", capability.declared).member("usable", capability.usable);
  if (capability.declared && !capability.usable) out.member("reason", kNotGranted);
  out.end_object();
}

void write_range(Writer& out, const FieldView& field) {
  const Capability& range = field.range_filter;
  out.key("range_filter").begin_object().member("declared", range.declared).member("usable", range.usable);
  if (range.declared && !range.usable) out.member("reason", kNotGranted);
  out.optional_member("operators", field.range_operators);
  out.end_object();
}

void write_semantic(Writer& out, const FieldView& field) {
  const bool declared = field.semantic_search.declared;
  out.key("semantic_search").begin_object().member("declared", declared).member("usable", false);
  if (declared) out.member("reason", field.granted ? "not_served" : kNotGranted);
  out.end_object();
}

void write_field(Writer& out, const FieldView& field) {
  out.key(field.name).begin_object().member("type", field.type).optional_member("role", field.role);
  out.key("schema").raw(field.schema_json);
  out.member("granted", field.granted);
  write_flag(out, "exact_filter", field.exact_filter);
  write_range(out, field);
  write_flag(out, "lexical_search", field.lexical_search);
  write_semantic(out, field);
  out.key("aggregation").begin_object();
  write_flag(out, "sum", field.sum);
  write_flag(out, "min", field.min);
  write_flag(out, "max", field.max);
  write_flag(out, "group_by", field.group_by);
  write_flag(out, "group_by_time", field.group_by_time);
  write_flag(out, "count_distinct", field.count_distinct);
  out.end_object().end_object();
}

// Returns the fields that declare a capability.
std::vector<std::string> declared_for(const StreamView& stream, Capability FieldView::* which) {
  std::vector<std::string> names;
  for (const FieldView& field : stream.fields) {
    if ((field.*which).declared) names.push_back(field.name);
  }
  return names;
}

void write_aggregations(Writer& out, const StreamView& stream) {
  out.key("aggregations").begin_object();
  if (stream.count_aggregation) out.member("count", true);
  out.optional_member("count_distinct", declared_for(stream, &FieldView::count_distinct));
  out.optional_member("group_by", declared_for(stream, &FieldView::group_by));
  out.optional_member("group_by_time", declared_for(stream, &FieldView::group_by_time));
  out.optional_member("max", declared_for(stream, &FieldView::max));
  out.optional_member("min", declared_for(stream, &FieldView::min));
  out.optional_member("sum", declared_for(stream, &FieldView::sum));
  out.end_object();
}

// Writes `query` as declared (PDPP "source declarations"), without relations to streams out of scope.
void write_query(Writer& out, const StreamView& stream) {
  out.key("query").begin_object().key("range_filters").begin_object();
  for (const FieldView& field : stream.fields) {
    if (field.range_filter.declared) out.member(field.name, field.range_operators);
  }
  out.end_object().key("search").begin_object();
  out.optional_member("lexical_fields", declared_for(stream, &FieldView::lexical_search));
  out.optional_member("semantic_fields", declared_for(stream, &FieldView::semantic_search));
  out.end_object();
  write_aggregations(out, stream);
  out.key("expand").begin_array();
  for (const ExpandView& expansion : stream.expansions) {
    out.begin_object().member("name", expansion.name);
    if (expansion.default_limit) out.member("default_limit", *expansion.default_limit);
    if (expansion.max_limit) out.member("max_limit", *expansion.max_limit);
    out.end_object();
  }
  out.end_array().end_object();
}

void write_expansions(Writer& out, const StreamView& stream) {
  out.key("expand_capabilities").begin_array();
  for (const ExpandView& expansion : stream.expansions) {
    out.begin_object().member("name", expansion.name).member("stream", expansion.target_stream);
    out.member("target_stream", expansion.target_stream);
    out.member("cardinality", expansion.has_many ? "has_many" : "has_one");
    out.member("child_parent_key_field", expansion.foreign_key).member("foreign_key", expansion.foreign_key);
    if (expansion.has_many) {
      out.member("default_limit", expansion.default_limit.value_or(kExpandDefaultLimit));
      out.member("max_limit", expansion.max_limit.value_or(kExpandMaxLimit));
    }
    out.member("granted", true).member("usable", expansion.usable);
    if (!expansion.usable) out.member("reason", "field_not_granted");
    out.end_object();
  }
  out.end_array();
}

void write_views_and_relations(Writer& out, const StreamView& stream) {
  out.key("views").begin_array();
  for (const model::View& view : stream.views) {
    out.begin_object().member("id", view.id).member("label", view.label);
    out.member("fields", view.fields);
    out.end_object();
  }
  out.end_array().key("relationships").begin_array();
  for (const model::Relationship& relation : stream.relationships) {
    out.begin_object().member("name", relation.name).member("stream", relation.stream);
    out.member("foreign_key", relation.foreign_key);
    out.member("cardinality", relation.has_many ? "has_many" : "has_one").end_object();
  }
  out.end_array();
}

// Writes connections with their record counts, if counted, in a separate member, because PDPP's schema of a granted
// connection allows no further members.
void write_counted_connections(Writer& out, const std::vector<ConnectionView>& connections) {
  write_connections(out, "granted_connections", connections);
  out.key("connection_figures").begin_array();
  for (const ConnectionView& connection : connections) {
    if (connection.record_count < 0 && connection.last_updated.empty()) continue;
    out.begin_object().member("connection_id", connection.connection_id);
    if (connection.record_count >= 0) out.member("record_count", connection.record_count);
    out.optional_member("last_updated", connection.last_updated).end_object();
  }
  out.end_array();
}

void write_grant_bounds(Writer& out, const StreamView& stream) {
  if (stream.time_bounds) {
    out.key("time_constraint").begin_object().member("field", stream.time_bounds->field);
    out.optional_member("since", stream.time_bounds->since).optional_member("until", stream.time_bounds->until).end_object();
  }
  out.optional_member("resources", stream.resources);
}

}  // namespace

void write_stream(Writer& out, const StreamView& stream) {
  out.member("object", "stream_metadata").member("name", stream.name).optional_member("label", stream.label);
  out.optional_member("detail", stream.detail).optional_member("description", stream.description);
  out.member("semantics", stream.semantics);
  if (!stream.schema_json.empty()) out.key("schema").raw(stream.schema_json);
  out.member("primary_key", stream.primary_key);
  out.optional_member("cursor_field", stream.cursor_field).optional_member("consent_time_field", stream.consent_time_field);
  out.key("selection").begin_object().member("fields", stream.select_fields).member("resources", stream.select_resources);
  out.end_object();
  write_views_and_relations(out, stream);
  write_query(out, stream);
  write_freshness(out);
  out.key("field_capabilities").begin_object();
  for (const FieldView& field : stream.fields) write_field(out, field);
  out.end_object();
  write_expansions(out, stream);
  write_counted_connections(out, stream.connections);
  write_grant_bounds(out, stream);
}

std::string render_stream(const SourceView& source, const StreamView& stream, const ResponseTail& response_tail) {
  Writer out;
  out.begin_object();
  write_stream(out, stream);
  write_source(out, source);
  write_response_tail(out, response_tail);
  return out.end_object().take();
}

// A stream's compact metadata (PDPP "schema and streams"): what a model needs for its next call, with one line of
// flags per field.

namespace {

constexpr std::string_view kUnusable = "=unusable:field_not_granted";

// Replaces characters that separate flags in the line.
std::string plain(std::string_view value) {
  std::string text(value);
  for (char& c : text) {
    if (std::string_view(";,[]{}= \t\n\r\f\v").find(c) != std::string_view::npos) c = '_';
  }
  return text;
}

class Flags {
 public:
  void add(const std::string& flag) { line_ += (line_.empty() ? "" : ",") + flag; }
  void add(std::string_view name, const Capability& capability, const std::string& values = {}) {
    if (!capability.declared) return;
    add(std::string(name) + (!capability.usable ? std::string(kUnusable) : values.empty() ? "" : "=" + values));
  }
  std::string line() && { return line_.empty() ? "declared" : std::move(line_); }

 private:
  std::string line_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + plain(name);
  return text;
}

// Adds the aggregates that a field supports as one flag.
void add_aggregations(Flags& flags, const FieldView& field) {
  const std::array<std::pair<const char*, const Capability*>, 6> all = {{{"sum", &field.sum},
                                                                         {"min", &field.min},
                                                                         {"max", &field.max},
                                                                         {"group_by", &field.group_by},
                                                                         {"group_by_time", &field.group_by_time},
                                                                         {"count_distinct", &field.count_distinct}}};
  Capability any;
  std::vector<std::string> usable;
  for (const auto& [name, capability] : all) {
    any.declared = any.declared || capability->declared;
    if (capability->usable) usable.emplace_back(name);
  }
  any.usable = !usable.empty();
  flags.add("a", any, joined(usable));
}

void write_short_expansions(json::Writer& out, const StreamView& stream) {
  if (stream.expansions.empty()) return;
  out.key("expand_capabilities").begin_array();
  for (const ExpandView& expansion : stream.expansions) {
    out.begin_object().member("name", expansion.name).member("target_stream", expansion.target_stream);
    out.member("cardinality", expansion.has_many ? "has_many" : "has_one");
    if (expansion.has_many) out.member("max_limit", expansion.max_limit.value_or(kExpandMaxLimit));
    out.member("usable", expansion.usable).end_object();
  }
  out.end_array();
}

}  // namespace

std::int64_t records_in(const StreamView& stream) {
  if (stream.record_count) return *stream.record_count;
  std::int64_t records = 0;
  for (const ConnectionView& connection : stream.connections) {
    if (connection.record_count < 0) return -1;
    records += connection.record_count;
  }
  return records;
}

std::string field_flags(const FieldView& field) {
  Flags flags;
  if (!field.type.empty() && field.type != "any") flags.add("t=" + plain(field.type));
  if (!field.role.empty()) flags.add("role=" + plain(field.role));
  if (!field.granted) flags.add("g=false");
  flags.add("eq", field.exact_filter);
  flags.add("r", field.range_filter, joined(field.range_operators));
  flags.add("lex", field.lexical_search);
  if (field.semantic_search.declared) flags.add(field.granted ? "sem=unusable:not_served" : "sem" + std::string(kUnusable));
  add_aggregations(flags, field);
  return std::move(flags).line();
}

void write_compact_stream(json::Writer& out, const SourceView& source, const StreamView& stream, CompactParts parts) {
  out.member("name", stream.name).member("connector_key", source.connector_key).optional_member("display_name", stream.label);
  if (const std::int64_t records = records_in(stream); records >= 0) out.member("record_count", records);
  out.member("granted", true);
  out.member("primary_key", stream.primary_key);
  out.optional_member("cursor_field", stream.cursor_field);
  if (parts.fields) {
    write_short_expansions(out, stream);
    out.key("field_capabilities").begin_object();
    for (const FieldView& field : stream.fields) out.member(field.name, field_flags(field));
    out.end_object();
  }
  if (parts.connections) write_connections(out, "granted_connections", stream.connections);
}

}  // namespace ladder::api

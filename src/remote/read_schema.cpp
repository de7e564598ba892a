// Parses a schema (PDPP "schema and streams"): sources with their streams, full, compact, or as a flat list of streams. Missing
// facts stay unknown.
#include "remote/readers.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ladder::remote {
namespace {

using api::ConnectionView;
using api::SourceView;
using api::StreamView;
using json::Kind;
using json::Value;

std::vector<ConnectionView> connections_of(const Object& from) {
  std::vector<ConnectionView> connections;
  for (const Object& reported : from.list_if_any("granted_connections").objects()) {
    ConnectionView& connection = connections.emplace_back();
    connection.connection_id = connection_of(reported);
    if (connection.connection_id.empty()) reported.complain("connection_id", "is missing");
    connection.display_name = reported.hint("display_name");
    connection.record_count = reported.integer_or("record_count", -1);
    connection.last_updated = reported.hint("last_updated");
  }
  return connections;
}

// A Ladder extension: the number of records per connection and their last update.
void read_figures(const Object& from, std::vector<ConnectionView>& connections) {
  for (const Object& reported : from.list_if_any("connection_figures").objects()) {
    const auto found = std::ranges::find(connections, connection_of(reported), &ConnectionView::connection_id);
    if (found == connections.end()) continue;
    found->record_count = reported.integer_or("record_count", -1);
    found->last_updated = reported.hint("last_updated");
  }
}

void read_connections(const Object& from, const std::vector<ConnectionView>& shared, StreamView& stream) {
  stream.connections = from.has("granted_connections") ? connections_of(from) : shared;
  read_figures(from, stream.connections);
  if (stream.connections.empty()) {
    const std::string only = connection_of(from);
    if (!only.empty()) stream.connections.push_back({only, from.hint("connection_display_name"), -1, {}});
  }
  const bool counted = std::ranges::all_of(stream.connections, [](const auto& one) { return one.record_count >= 0; });
  const auto reported = from.integer_if_any("record_count");
  if (reported && *reported >= 0 && (!counted || stream.connections.empty())) stream.record_count = reported;
  if (!reported && stream.connections.empty()) stream.record_count = -1;
}

void read_expansions(const Object& from, StreamView& stream) {
  std::map<std::string, std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>> declared;
  if (const auto query = from.object_if_any("query")) {
    for (const Object& reported : query->list_if_any("expand").objects()) {
      declared[reported.hint("name")] = {reported.integer_if_any("default_limit"), reported.integer_if_any("max_limit")};
    }
  }
  for (const Object& reported : from.list_if_any("expand_capabilities").objects()) {
    api::ExpandView& view = stream.expansions.emplace_back();
    view.name = reported.hint({"name", "relation"});
    if (view.name.empty()) reported.complain("name", "is missing");
    view.target_stream = reported.hint({"target_stream", "stream"});
    view.foreign_key = reported.hint({"foreign_key", "child_parent_key_field"});
    view.has_many = reported.hint("cardinality") == "has_many";
    view.usable = reported.boolean_or("usable", reported.boolean_or("granted", true));
    view.default_limit = reported.integer_if_any("default_limit");
    view.max_limit = reported.integer_if_any("max_limit");
    if (const auto limits = declared.find(view.name); limits != declared.end()) {  // as declared, if reported
      std::tie(view.default_limit, view.max_limit) = limits->second;
    }
  }
}

void read_views_and_relations(const Object& from, StreamView& stream) {
  for (const Object& reported : from.list_if_any("views").objects()) {
    stream.views.push_back({reported.text("id"), reported.hint("label"), reported.texts("fields")});
  }
  for (const Object& reported : from.list_if_any("relationships").objects()) {
    stream.relationships.push_back({reported.text("name"), reported.hint("stream"), reported.hint("foreign_key"),
                                    reported.hint("cardinality") == "has_many"});
  }
}

void read_grant_bounds(const Object& from, StreamView& stream) {
  if (const auto time = from.object_if_any("time_constraint")) {
    stream.time_bounds = api::TimeBounds{time->hint("field"), time->hint("since"), time->hint("until")};
  }
  stream.resources = from.texts("resources");
}

void read_primary_key(const Object& from, StreamView& stream) {
  const Value* const key = from.find("primary_key");
  if (key && key->kind == Kind::kString) stream.primary_key = {plain_text(*key)};
  else stream.primary_key = from.texts("primary_key");
}

StreamView stream_of(const Object& from, const std::vector<ConnectionView>& shared) {
  StreamView stream;
  stream.name = from.hint({"name", "stream", "stream_name"});
  if (stream.name.empty()) from.complain("name", "is missing");
  stream.label = from.hint({"label", "display_name"});
  stream.detail = from.hint("detail");
  stream.description = from.hint("description");
  stream.semantics = from.hint("semantics");
  if (const Value* const schema = from.find("schema"); schema && schema->kind == Kind::kObject) stream.schema_json = schema->text;
  read_primary_key(from, stream);
  stream.cursor_field = from.hint("cursor_field");
  stream.consent_time_field = from.hint("consent_time_field");
  if (const auto selection = from.object_if_any("selection")) {
    stream.select_fields = selection->boolean_or("fields", false);
    stream.select_resources = selection->boolean_or("resources", false);
  }
  read_views_and_relations(from, stream);
  if (const auto fields = from.object_if_any("field_capabilities")) {
    for (const auto& [name, value] : fields->members()) stream.fields.push_back(read_field(*fields, name, value));
  }
  read_expansions(from, stream);
  if (const auto query = from.object_if_any("query")) {
    const auto aggregations = query->object_if_any("aggregations");
    stream.count_aggregation = aggregations && aggregations->boolean_or("count", false);
  }
  read_connections(from, shared, stream);
  read_grant_bounds(from, stream);
  return stream;
}

// Finds a source's name in the source or in one of its streams.
SourceView source_of(const Object& from) {
  SourceView source;
  source.connector_key = from.hint({"connector_key", "connector_id"});
  source.display_name = from.hint({"display_name", "connector_display_name"});
  const Value* const reported = from.find("source");
  if (reported && reported->kind == Kind::kObject) {
    const Object identity = from.at("source", *reported);
    source.source_kind = identity.hint("kind");
    source.source_id = identity.hint("id");
    if (source.display_name.empty()) source.display_name = identity.hint("display_name");
  }
  return source;
}

void read_sources(const Object& body, api::SchemaView& view) {
  for (const Object& reported : body.list("connectors").objects()) {
    SourceView& source = view.sources.emplace_back(source_of(reported));
    const auto shared = connections_of(reported);
    for (const Object& stream : reported.list_if_any("streams").objects()) source.streams.push_back(stream_of(stream, shared));
  }
}

// Parses streams without their sources: names, or objects that name their source.
void read_flat(const Object& body, api::SchemaView& view) {
  const List streams = body.list("streams");
  std::map<std::string, std::size_t> places;  // index of a source, by key
  for (std::size_t i = 0; i < streams.values().size(); ++i) {
    const Value& value = streams.values()[i];
    SourceView source;
    StreamView stream;
    if (value.kind == Kind::kString) {
      stream.name = plain_text(value);
      if (stream.name.empty()) body.complain("streams", "contains a stream without a name");
      stream.record_count = -1;
    } else {
      const Object reported = streams.at(i);
      source = source_of(reported);
      source.display_name.clear();  // in this form it is the stream's name
      stream = stream_of(reported, {});
    }
    const auto [known, is_new] = places.try_emplace(source.connector_key, view.sources.size());
    if (is_new) view.sources.push_back(std::move(source));
    view.sources[known->second].streams.push_back(std::move(stream));
  }
}

}  // namespace

api::SchemaView read_schema(Answer& answer) {
  const Object outer = answer.object();
  const Value* const inside = outer.find("data");
  const Object body = inside && inside->kind == Kind::kObject ? outer.at("data", *inside) : outer;
  api::SchemaView view;
  view.token_kind = "client";
  if (const auto bearer = body.object_if_any("bearer")) {
    view.token_kind = bearer->text_or("token_kind", "client");
    view.client_id = bearer->hint("client_id");
    view.grant_ids = bearer->texts("grant_ids");
    const std::string only = bearer->hint("grant_id");
    if (view.grant_ids.empty() && !only.empty()) view.grant_ids.push_back(only);
  }
  if (!body.has("connectors") && body.has("streams")) read_flat(body, view);
  else read_sources(body, view);
  return view;
}

}  // namespace ladder::remote

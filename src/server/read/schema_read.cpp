// Reads the schema a caller may see: the declared metadata of every reachable stream, with flags for what is granted
// and usable (design D15). Ungranted streams never appear, not even as the target of a relation (D5).
#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "server/read/counting.h"
#include "server/read/reads.h"
#include "server/shared/attempt.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace ladder::server {
namespace {

using model::Stream;

constexpr std::int64_t kMaxCountedRecords = 100'000;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string type_of(const model::Field& field) {
  if (!field.hint.empty()) return field.hint;
  switch (field.type) {
    case model::FieldType::kBoolean:
      return "boolean";
    case model::FieldType::kInteger:
      return "integer";
    case model::FieldType::kNumber:
      return "number";
    case model::FieldType::kString:
      return "string";
    case model::FieldType::kObject:
      return "object";
    case model::FieldType::kArray:
      return "array";
    case model::FieldType::kAny:
      break;
  }
  return "any";
}

// Returns the declared JSON schema of one property.
std::string property_schema(const Stream& stream, std::string_view field) {
  const auto properties = json::member(json::value_of(stream.schema_json).text, "properties");
  if (!properties) return "{}";
  const auto property = json::member(properties->text, field);
  return property ? std::string(property->text) : "{}";
}

api::FieldView field_view(const Stream& stream, const model::Field& field, bool granted) {
  api::FieldView view;
  view.name = field.name;
  view.type = type_of(field);
  view.role = field.role;
  view.label = field.label();
  view.level = field.level;
  view.identifies_group = !field.belongs_to.empty();
  view.is_text = field.is_text;
  view.schema_json = property_schema(stream, field.name);
  view.granted = granted;
  const auto capability = [&](bool declared) { return api::Capability{declared, declared && granted}; };
  const bool scalar =
      field.type != model::FieldType::kAny && field.type != model::FieldType::kObject && field.type != model::FieldType::kArray;
  view.exact_filter = capability(scalar);
  if (const auto range = stream.range_filters.find(field.name); range != stream.range_filters.end()) {
    view.range_filter = capability(true);
    view.range_operators = range->second;
  }
  view.lexical_search = capability(contains(stream.lexical_fields, field.name));
  view.semantic_search = {contains(stream.semantic_fields, field.name), false};  // declared, but not supported
  const model::Aggregations& aggregations = stream.aggregations;
  view.sum = capability(contains(aggregations.sum, field.name));
  view.min = capability(contains(aggregations.min, field.name));
  view.max = capability(contains(aggregations.max, field.name));
  view.group_by = capability(contains(aggregations.group_by, field.name));
  view.group_by_time = capability(contains(aggregations.group_by_time, field.name));
  view.count_distinct = capability(contains(aggregations.count_distinct, field.name));
  return view;
}

// Returns a stream as one caller sees it; `grant` is null for the owner.
api::StreamView stream_view(const SourceEntry& source, const Stream& stream, const grant::Grant* grant) {
  const grant::StreamGrant* granted = grant ? grant->stream(stream.name) : nullptr;
  const auto reaches = [&](const std::string& name) {
    return grant ? grant->stream(name) != nullptr : source.declaration.stream(name) != nullptr;
  };
  const auto joins = [&](const model::Relationship& relation) {
    const grant::StreamGrant* const holder = relation.has_many && grant ? grant->stream(relation.stream) : granted;
    return !holder || holder->allows_field(relation.foreign_key);
  };
  const auto allows = [&](std::string_view field) { return !granted || granted->allows_field(field); };
  api::StreamView view;
  view.name = stream.name;
  view.label = stream.label;
  view.detail = stream.detail;
  view.description = stream.description;
  view.semantics = stream.semantics == model::Semantics::kAppendOnly ? "append_only" : "mutable_state";
  view.schema_json = stream.schema_json;
  view.primary_key = stream.primary_key;
  view.cursor_field = stream.cursor_field;
  view.consent_time_field = stream.consent_time_field;
  view.select_fields = stream.select_fields;
  view.select_resources = stream.select_resources;
  view.levels = stream.levels;
  view.levels_of = stream.levels_of;
  for (const model::View& declared : stream.views) {
    if (std::ranges::all_of(declared.fields, allows)) view.views.push_back(declared);
  }
  for (const model::Relationship& relation : stream.relationships) {
    if (reaches(relation.stream)) view.relationships.push_back(relation);
  }
  for (const model::Field& field : stream.fields) view.fields.push_back(field_view(stream, field, allows(field.name)));
  for (const model::Expansion& expansion : stream.expansions) {
    const auto relation = std::ranges::find(view.relationships, expansion.name, &model::Relationship::name);
    if (relation == view.relationships.end()) continue;
    view.expansions.push_back({expansion.name, relation->stream, relation->foreign_key, relation->has_many,
                               expansion.default_limit, expansion.max_limit, joins(*relation)});
  }
  view.count_aggregation = stream.aggregations.count;
  if (granted) {
    view.resources = granted->resources;
    if (granted->time) {
      view.time_bounds = api::TimeBounds{granted->time->field, granted->time->since ? format_time(*granted->time->since) : "",
                                         granted->time->until ? format_time(*granted->time->until) : ""};
    }
  }
  return view;
}

// Counts one connection's records of the stream that the caller may see.
Result<api::ConnectionView> connection_view(store::Reader& reader, const ReadScope& read_scope, const ConnectionStream& place) {
  const ScanBounds bounds{{}, Deadline::after(std::chrono::milliseconds(limits::kScanDeadlineMs)), kMaxCountedRecords};
  const ReadScope only{read_scope.held, read_scope.granted, {place}};
  api::ConnectionView view{place.connection->row.connection_id, place.connection->display_name(), 0, {}};
  LADDER_TRY(view.record_count, count_matches(reader, only, RecordFilter(), bounds));
  LADDER_TRY(const auto ends, time_ends(reader, only, RecordFilter(), bounds, Wanted::kLatest));
  if (ends && ends->latest) view.last_updated = format_time(*ends->latest);
  return view;
}

// One reachable stream of one source.
struct Found {
  const SourceEntry* source;
  ReadScope read_scope;
};

std::vector<Found> client_streams(const Access& access, const OwnerCatalog& catalog, const api::SchemaRequest& request) {
  std::vector<Found> found;
  for (const auto& held : access.grants()) {
    for (const grant::StreamGrant& granted : held->grant.streams) {
      if (!request.stream.empty() && granted.name != request.stream) continue;
      ReadScope reached{held, &granted, {}};
      for (const std::string& id : granted.instance_ids) {
        if (!request.connection_id.empty() && id != request.connection_id) continue;
        const ConnectionEntry* connection = catalog.connection(id);
        if (!connection || connection->source->row.source_id != held->grant.source_id) continue;
        if (auto place = catalog.find_stream(*connection, granted.name)) reached.streams.push_back(*place);
      }
      if (!reached.streams.empty()) found.push_back({reached.streams.front().connection->source, std::move(reached)});
    }
  }
  return found;
}

std::vector<Found> owner_streams(const OwnerCatalog& catalog, const api::SchemaRequest& request) {
  std::vector<Found> found;
  for (const auto& source : catalog.sources()) {
    for (const Stream& stream : source->declaration.streams) {
      if (!request.stream.empty() && stream.name != request.stream) continue;
      ReadScope reached;
      for (const auto& connection : catalog.connections()) {
        if (connection->source != source.get() || connection->row.status != "active") continue;
        if (!request.connection_id.empty() && connection->row.connection_id != request.connection_id) continue;
        if (auto place = catalog.find_stream(*connection, stream.name)) reached.streams.push_back(*place);
      }
      if (!reached.streams.empty()) found.push_back({source.get(), std::move(reached)});
    }
  }
  return found;
}

std::unexpected<Error> several_sources(const std::vector<Found>& found, const std::string& stream) {
  Error error{Code::kAmbiguousConnection, format("several sources have a stream \"{}\"; name a connection_id", stream),
              "connection_id"};
  for (const Found& one : found) {
    for (const ConnectionStream& place : one.read_scope.streams) {
      error.details().available_connections.push_back(
          {place.connection->row.connection_id, one.source->row.key, stream, place.connection->display_name()});
    }
  }
  return std::unexpected(std::move(error));
}

// Discloses the record counts of a schema response. Uncounted connections disclose nothing.
Disclosure counted_records(const api::SchemaView& view) {
  Disclosure shown{"schema", {}, {}};
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) {
      for (const api::ConnectionView& connection : stream.connections) {
        const std::int64_t records = std::max<std::int64_t>(0, connection.record_count);
        ShownRecord& counts = shown.record({connection.connection_id, stream.name, ""});
        add_range(counts.field("", Unit::kRecords, std::nullopt, records).ranges, {0, records});
      }
    }
  }
  return shown;
}

}  // namespace

Result<api::SchemaView> Reads::schema(const Access& access, const api::SchemaRequest& request) {
  if (request.full_detail && request.stream.empty()) {
    return fail(Code::kInvalidRequest, "full detail is for one stream: name it with stream", "detail");
  }
  std::vector<Found> found;
  const auto aim = [&](const OwnerCatalog& catalog) -> Status {
    found = access.is_owner() ? owner_streams(catalog, request) : client_streams(access, catalog, request);
    if (request.full_detail && found.size() > 1) return several_sources(found, request.stream);
    return {};
  };
  const auto read = [&](const OwnerCatalog& catalog) -> Result<std::optional<api::SchemaView>> {
    LADDER_TRY(auto reader, shared_.store.read(access.owner()));
    api::SchemaView view;
    view.token_kind = access.is_owner() ? "owner" : "client";
    view.client_id = access.client_id();
    Status access_status;  // status of the last invalid grant; one valid grant is enough
    std::set<const HeldGrant*> live_grants = {nullptr};
    std::vector<store::GrantNo> grants;
    for (const auto& held : access.grants()) grants.push_back(held->no);
    LADDER_TRY(const auto statuses, reader->access_statuses(access.owner(), access.token(), grants));
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const auto& held = access.grants()[i];
      if (statuses[i].catalog_version != catalog.version()) return std::nullopt;
      if (Status checked = check_access_status(access, held.get(), statuses[i], shared_.clock.now()); !checked) {
        access_status = std::move(checked);
        continue;
      }
      live_grants.insert(held.get());
      view.grant_ids.push_back(held->grant.grant_id);
    }
    if (!access.is_owner() && view.grant_ids.empty()) LADDER_CHECK(access_status);
    if (access.is_owner()) {
      LADDER_TRY(const auto row, reader->records({access.owner(), access.token(), 0}, {}, ""));
      LADDER_CHECK(check_access_status(access, nullptr, row.access_status, shared_.clock.now()));
      if (row.access_status.catalog_version != catalog.version()) return std::nullopt;
    }
    for (const Found& one : found) {
      if (!live_grants.contains(one.read_scope.held.get())) continue;
      auto source = std::ranges::find(view.sources, one.source->row.source_id, &api::SourceView::source_id);
      if (source == view.sources.end()) {
        view.sources.push_back({one.source->declaration.source_kind,
                                one.source->row.source_id,
                                one.source->row.key,
                                one.source->declaration.display_name,
                                {}});
        source = view.sources.end() - 1;
      }
      api::StreamView stream = stream_view(*one.source, *one.read_scope.streams.front().declared,
                                           one.read_scope.held ? &one.read_scope.held->grant : nullptr);
      for (const ConnectionStream& place : one.read_scope.streams) {
        if (!request.counted) {
          stream.connections.push_back({place.connection->row.connection_id, place.connection->display_name(), -1, {}});
          continue;
        }
        LADDER_TRY(auto connection, connection_view(*reader, one.read_scope, place));
        stream.connections.push_back(std::move(connection));
      }
      source->streams.push_back(std::move(stream));
    }
    return view;
  };
  return attempt<api::SchemaView>(
      shared_, access, aim, read, [] { return static_cast<const HeldGrant*>(nullptr); },
      [&](const api::SchemaView& view) { return request.counted ? counted_records(view) : Disclosure(); });
}

}  // namespace ladder::server

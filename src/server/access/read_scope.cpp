#include "server/access/read_scope.h"

#include "base/text/format.h"

#include <algorithm>
#include <set>

namespace ladder::server {
namespace {

ConnectionChoice choice(const ConnectionStream& place) {
  return {place.connection->row.connection_id, place.connection->source->row.key, place.declared->name,
          place.connection->display_name()};
}

std::unexpected<Error> ambiguous(std::string_view stream, const std::vector<ConnectionStream>& places) {
  Error error{Code::kAmbiguousConnection, format("several connections have a stream \"{}\"; name one with connection_id", stream),
              "connection_id"};
  for (const ConnectionStream& place : places) error.details().available_connections.push_back(choice(place));
  return std::unexpected(std::move(error));
}

std::unexpected<Error> no_readable_connection(std::string_view connection_id) {
  return fail(Code::kConnectionNotFound, format("there is no connection \"{}\" that you may read", connection_id),
              "connection_id");
}

bool one_source(const std::vector<ConnectionStream>& places) {
  return std::ranges::all_of(places,
                             [&](const ConnectionStream& p) { return p.connection->source == places[0].connection->source; });
}

bool is_of(const ConnectionEntry& connection, const api::Scope& scope) {
  return scope.connector_key.empty() || connection.source->row.key == scope.connector_key;
}

std::unexpected<Error> no_readable_source(const api::Scope& scope) {
  return fail(Code::kNotFound, format("there is no source \"{}\" with that stream that you may read", scope.connector_key),
              "connector_id");
}

// Returns the streams of one grant entry. Erased connections are skipped.
std::vector<ConnectionStream> granted_streams(const OwnerCatalog& catalog, const HeldGrant& held,
                                              const grant::StreamGrant& granted, const api::Scope& scope) {
  std::vector<ConnectionStream> places;
  for (const std::string& id : granted.instance_ids) {
    if (!scope.connection_id.empty() && id != scope.connection_id) continue;
    const ConnectionEntry* connection = catalog.connection(id);
    if (!connection || connection->source->row.source_id != held.grant.source_id || !is_of(*connection, scope)) continue;
    if (auto place = catalog.find_stream(*connection, granted.name)) places.push_back(*place);
  }
  return places;
}

// Returns true if some connection that the grant names still exists and is not being erased.
bool is_there(const OwnerCatalog& catalog, const grant::StreamGrant& granted, const std::string& only) {
  return std::ranges::any_of(granted.instance_ids, [&](const std::string& id) {
    const ConnectionEntry* connection = only.empty() || id == only ? catalog.connection(id) : nullptr;
    return connection && connection->row.status != kErasing;
  });
}

Result<ReadScope> client_scope(const Access& access, const OwnerCatalog& catalog, const api::Scope& scope,
                               std::string_view stream) {
  const std::string& connection_id = scope.connection_id;
  std::vector<ReadScope> found;
  bool stream_granted = false;
  bool connection_granted = connection_id.empty();
  for (const auto& held : access.grants()) {
    auto granted = grant::check_stream(held->grant, stream);
    if (!granted) continue;
    stream_granted = true;
    if (!connection_id.empty() && !(*granted)->allows_instance(connection_id)) continue;
    connection_granted = true;
    found.push_back({held, *granted, granted_streams(catalog, *held, **granted, scope)});
  }
  if (!stream_granted) {
    return fail(Code::kStreamNotAllowed, format("the grant does not cover a stream \"{}\"; schema lists what it covers", stream),
                "stream");
  }
  if (!connection_granted) return no_readable_connection(connection_id);
  const bool any_there =
      std::ranges::any_of(found, [&](const ReadScope& r) { return is_there(catalog, *r.granted, connection_id); });
  std::erase_if(found, [](const ReadScope& r) { return r.streams.empty(); });
  if (found.empty() && !scope.connector_key.empty()) return no_readable_source(scope);
  if (found.empty() && !connection_id.empty() && !any_there) return no_readable_connection(connection_id);
  if (found.empty() && !any_there) {
    return fail(Code::kConnectionNotFound,
                format("the connections whose \"{}\" the grant covers are gone; ask the owner for a new grant", stream),
                "stream");
  }
  if (found.empty()) {
    return fail(Code::kStreamNotDeclared, format("the source no longer declares a stream \"{}\"", stream), "stream");
  }
  if (found.size() > 1) {
    std::vector<ConnectionStream> all;
    for (const ReadScope& r : found) all.insert(all.end(), r.streams.begin(), r.streams.end());
    return ambiguous(stream, all);
  }
  return std::move(found.front());
}

Result<ReadScope> owner_scope(const OwnerCatalog& catalog, const api::Scope& scope, std::string_view stream) {
  const std::string& connection_id = scope.connection_id;
  ReadScope read_scope;
  if (!connection_id.empty()) {
    const ConnectionEntry* connection = catalog.connection(connection_id);
    if (!connection) return no_readable_connection(connection_id);
    if (!is_of(*connection, scope)) return no_readable_connection(connection_id);
    LADDER_CHECK(check_not_erasing(*connection, Code::kConnectionNotFound));
    if (auto place = catalog.find_stream(*connection, stream)) read_scope.streams.push_back(*place);
  } else {
    for (const auto& connection : catalog.connections()) {
      if (connection->row.status != "active" || !is_of(*connection, scope)) continue;
      if (auto place = catalog.find_stream(*connection, stream)) read_scope.streams.push_back(*place);
    }
  }
  if (read_scope.streams.empty() && !scope.connector_key.empty()) return no_readable_source(scope);
  if (read_scope.streams.empty()) {
    return fail(Code::kStreamNotDeclared,
                format("no connection has a stream \"{}\"; `ladder connection list` shows them", stream), "stream");
  }
  if (!one_source(read_scope.streams)) return ambiguous(stream, read_scope.streams);
  return read_scope;
}

}  // namespace

std::unexpected<Error> owner_is_suspended() {
  return fail(
      Code::kOwnerSuspended,
      "the operator of this server has suspended access to this data; nothing was deleted. Ask the operator to resume it");
}

store::Guard ReadScope::guard(const Access& access) const {
  return {access.owner(), access.token(), held ? held->no : store::GrantNo{0}};
}

Result<ReadScope> read_scope(const Access& access, const OwnerCatalog& catalog, const api::Scope& scope,
                             std::string_view stream) {
  if (access.is_owner()) return owner_scope(catalog, scope, stream);
  return client_scope(access, catalog, scope, stream);
}

Result<ConnectionStream> only_stream(const ReadScope& read_scope) {
  if (read_scope.streams.size() > 1) return ambiguous(read_scope.streams.front().declared->name, read_scope.streams);
  return read_scope.streams.front();
}

Status check_access_status(const Access& access, const HeldGrant* held, const store::AccessStatusRow& row, Instant now) {
  if (row.owner_suspended && !access.ignores_suspension()) return owner_is_suspended();
  if (access.token() == 0) return {};  // the local owner holds no token
  const bool token_stands = row.token_found && !row.token_revoked;
  if (held) {
    const bool revoked = row.grant_revoked || held->refused->load(std::memory_order_relaxed);
    return grant::check_access_status(held->grant, {token_stands, row.token_expires_at, row.grant_found, revoked}, now);
  }
  if (!token_stands || (row.token_expires_at && now >= *row.token_expires_at)) {
    return fail(Code::kAuthentication,
                "the token is not valid or has expired; the owner can create a new one with `ladder token create`");
  }
  return {};
}

Result<std::unique_ptr<store::Reader>> open_reader(store::Store& store, const Clock& clock, const Access& access,
                                                   const ReadScope& read_scope, const OwnerCatalog& catalog) {
  LADDER_TRY(auto reader, store.read(access.owner()));
  LADDER_TRY(const auto found, reader->records(read_scope.guard(access), {}, ""));
  LADDER_CHECK(check_access_status(access, read_scope.held.get(), found.access_status, clock.now()));
  if (found.access_status.catalog_version != catalog.version()) reader.reset();
  return reader;
}

bool is_visible(const ReadScope& read_scope, const store::RecordRow& row) {
  return !read_scope.granted || grant::is_visible(*read_scope.granted, row.key, json::value_of(row.body));
}

Result<PickedRecord> pick_record(const ReadScope& read_scope, const std::vector<store::RecordRow>& found,
                                 const model::RecordRef& asked) {
  std::vector<PickedRecord> visible;
  for (const store::RecordRow& row : found) {
    if (is_visible(read_scope, row))
      visible.push_back({&row, &*std::ranges::find(read_scope.streams, row.stream, &ConnectionStream::no)});
  }
  if (visible.size() == 1) return visible.front();
  if (visible.empty()) {
    return fail(Code::kNotFound,
                format("there is no record \"{}\" in stream \"{}\" that you may read", asked.record_id, asked.stream),
                "record_id");
  }
  Error error{Code::kAmbiguousConnection,
              format("several connections have a record \"{}\"; name one with connection_id", asked.record_id), "connection_id"};
  for (const PickedRecord& picked : visible) error.details().available_connections.push_back(choice(*picked.place));
  return std::unexpected(std::move(error));
}

}  // namespace ladder::server

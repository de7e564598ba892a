#include "rs/blob_reach.h"

#include "grant/grant.h"
#include "store/field_index.h"

#include <map>
#include <vector>

namespace ladder::rs {
namespace {

constexpr std::int64_t kBatch = 64;

// The streams within reach that may hold blobs, and which grant shows each; null for the owner.
struct Showing {
  std::shared_ptr<const HeldGrant> held;
  const grant::StreamGrant* granted = nullptr;
};
using ShowingByStream = std::multimap<store::StreamNo, Showing>;

bool in_scope(const ConnectionEntry& connection, const port::Scope& scope) {
  return (scope.connection_id.empty() || connection.row.connection_id == scope.connection_id) &&
         (scope.connector_key.empty() || connection.source->row.key == scope.connector_key);
}

ShowingByStream client_streams(const Access& access, const OwnerCatalog& catalog, const port::Scope& scope) {
  ShowingByStream streams;
  for (const auto& held : access.grants()) {
    for (const grant::StreamGrant& granted : held->grant.streams) {
      if (!granted.allows_field(store::kBlobField)) continue;
      for (const std::string& id : granted.instance_ids) {
        const ConnectionEntry* connection = catalog.connection(id);
        if (!connection || !in_scope(*connection, scope) || connection->source->row.source_id != held->grant.source_id) continue;
        if (const auto place = catalog.place(*connection, granted.name)) streams.emplace(place->no, Showing{held, &granted});
      }
    }
  }
  return streams;
}

ShowingByStream owner_streams(const OwnerCatalog& catalog, const port::Scope& scope) {
  ShowingByStream streams;
  for (const auto& connection : catalog.connections()) {
    if (!in_scope(*connection, scope)) continue;
    for (const auto& [name, no] : connection->streams) streams.emplace(no, Showing{});
  }
  return streams;
}

}  // namespace

Result<std::optional<BlobHolder>> find_holder(store::Reader& reader, const Access& access, const OwnerCatalog& catalog,
                                              const store::Digest& blob, const port::Scope& scope) {
  const ShowingByStream streams = access.is_owner() ? owner_streams(catalog, scope) : client_streams(access, catalog, scope);
  reader.show_damaged();
  for (store::RecordNo after = 0;;) {
    LADDER_TRY(const auto rows, reader.records_with_blob(blob, after, kBatch));
    for (const store::RecordRow& row : rows) {
      const auto [first, last] = streams.equal_range(row.stream);
      for (auto showing = first; showing != last; ++showing) {
        const grant::StreamGrant* granted = showing->second.granted;
        if (granted && row.damaged) continue;  // nobody can tell whether the grant shows it
        if (!granted || grant::is_visible(*granted, row.key, json::value_of(row.body))) return BlobHolder{showing->second.held};
      }
      after = row.no;
    }
    if (std::ssize(rows) < kBatch) return std::nullopt;
  }
}

}  // namespace ladder::rs

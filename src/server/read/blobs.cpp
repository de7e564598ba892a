// Reads blobs. A blob is visible if a visible record refers to it.
#include "base/limits.h"
#include "base/text/format.h"
#include "grant/grant.h"
#include "model/quote.h"
#include "server/access/read_scope.h"
#include "server/read/reads.h"
#include "server/shared/stored_blob.h"
#include "store/index/field_index.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

namespace ladder::server {
namespace {

constexpr std::int64_t kBatch = 64;

// The streams in scope that may contain blobs, and the grant that covers each; null for the owner.
struct Showing {
  std::shared_ptr<const HeldGrant> held;
  const grant::StreamGrant* granted = nullptr;
};
using ShowingByStream = std::multimap<store::StreamNo, Showing>;

bool in_scope(const ConnectionEntry& connection, const api::Scope& scope) {
  return (scope.connection_id.empty() || connection.row.connection_id == scope.connection_id) &&
         (scope.connector_key.empty() || connection.source->row.key == scope.connector_key);
}

ShowingByStream client_streams(const Access& access, const OwnerCatalog& catalog, const api::Scope& scope) {
  ShowingByStream streams;
  for (const auto& held : access.grants()) {
    for (const grant::StreamGrant& granted : held->grant.streams) {
      if (!granted.allows_field(store::kBlobField)) continue;
      for (const std::string& id : granted.instance_ids) {
        const ConnectionEntry* connection = catalog.connection(id);
        if (!connection || !in_scope(*connection, scope) || connection->source->row.source_id != held->grant.source_id) continue;
        if (const auto place = catalog.find_stream(*connection, granted.name))
          streams.emplace(place->no, Showing{held, &granted});
      }
    }
  }
  return streams;
}

ShowingByStream owner_streams(const OwnerCatalog& catalog, const api::Scope& scope) {
  ShowingByStream streams;
  for (const auto& connection : catalog.connections()) {
    if (!in_scope(*connection, scope)) continue;
    for (const auto& [name, no] : connection->streams) streams.emplace(no, Showing{});
  }
  return streams;
}

std::pair<std::string, std::string> name_of(const OwnerCatalog& catalog, store::StreamNo stream) {
  for (const auto& connection : catalog.connections()) {
    for (const auto& [name, no] : connection->streams) {
      if (no == stream) return {connection->row.connection_id, name};
    }
  }
  return {};
}

struct BlobHolder {
  std::shared_ptr<const HeldGrant> held;  // the grant that covers the record; null for the owner
  model::RecordRef record;
};

// Returns a visible record whose granted blob_ref names the blob; nullopt if there is none.
Result<std::optional<BlobHolder>> find_holder(store::Reader& reader, const Access& access, const OwnerCatalog& catalog,
                                              const store::Digest& blob, const api::Scope& scope) {
  const ShowingByStream streams = access.is_owner() ? owner_streams(catalog, scope) : client_streams(access, catalog, scope);
  reader.show_damaged();
  for (store::RecordNo after = 0;;) {
    LADDER_TRY(const auto rows, reader.records_with_blob(blob, after, kBatch));
    for (const store::RecordRow& row : rows) {
      const auto [first, last] = streams.equal_range(row.stream);
      for (auto showing = first; showing != last; ++showing) {
        const grant::StreamGrant* granted = showing->second.granted;
        if (granted && row.damaged) continue;  // without its content, visibility cannot be checked
        if (!granted || grant::is_visible(*granted, row.key, json::value_of(row.body))) {
          const auto [connection_id, stream] = name_of(catalog, row.stream);
          return BlobHolder{showing->second.held, {connection_id, stream, row.key}};
        }
      }
      after = row.no;
    }
    if (std::ssize(rows) < kBatch) return std::nullopt;
  }
}

// All chunks of a blob have the same size, so positions are computed by division.
Result<std::string> read_bytes(store::Reader& reader, const store::BlobRow& blob, const api::BlobRequest& request) {
  constexpr auto kChunk = static_cast<std::int64_t>(limits::kChunkBytes);
  const std::int64_t first = std::min(request.first_byte, blob.size_bytes);
  const std::int64_t count = std::min({request.max_bytes, api::kMaxBlobReadBytes, blob.size_bytes - first});
  std::string bytes;
  if (count <= 0) return bytes;
  bytes.reserve(static_cast<std::size_t>(count + 2 * kChunk));
  LADDER_CHECK(reader.each_chunk(blob.value, first / kChunk, (first + count - 1) / kChunk,
                                 [&](std::string_view chunk) { bytes += chunk; }));
  bytes.erase(0, static_cast<std::size_t>(first % kChunk));
  if (std::ssize(bytes) < count) return fail(Code::kInternal, "a blob is shorter than it was when it was stored");
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

}  // namespace

Result<api::Blob> Reads::blob(const Access& access, const api::BlobRequest& request) {
  const auto not_found = [&] {
    return fail(Code::kBlobNotFound, format("there is no blob {} that you may read", model::in_quotes(request.blob_id)),
                "blob_id");
  };
  if (request.first_byte < 0 || request.max_bytes < 0) return fail(Code::kInvalidRequest, "a byte range starts at 0", "range");
  const auto digest = store::blob_digest(request.blob_id);
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  LADDER_TRY(auto reader, shared_.store.read(access.owner()));
  LADDER_TRY(const auto holder, find_holder(*reader, access, *catalog, digest.value_or(store::Digest{}), request.scope));
  LADDER_TRY(const auto access_status,
             shared_.store.access_status({access.owner(), access.token(), holder && holder->held ? holder->held->no : 0}));
  LADDER_CHECK(check_access_status(access, holder ? holder->held.get() : nullptr, access_status, shared_.clock.now()));
  if (!digest || !holder) return not_found();
  const auto damaged = [&](Error error) {
    if (error.code == Code::kDamagedData) {
      error.message = format("blob {} is damaged in the store and is not shown: store it again, or restore a backup",
                             model::in_quotes(request.blob_id));
    }
    return std::unexpected(std::move(error));
  };
  auto looked = shared_.store.find_blob(access.owner(), *digest);
  if (!looked) return damaged(std::move(looked).error());
  const std::optional<store::BlobRow> row = *std::move(looked);
  if (!row) return not_found();
  api::Blob blob = describe_blob(*row);
  blob.first_byte = request.first_byte;
  auto bytes = read_bytes(*reader, *row, request);
  if (!bytes) return damaged(std::move(bytes).error());
  blob.bytes = *std::move(bytes);
  if (!blob.bytes.empty() && shared_.ledger.applies_to(access)) {
    LADDER_CHECK(shared_.ledger.record(access, disclose(blob, holder->record, request.bytes_to_follow)));
  }
  return blob;
}

}  // namespace ladder::server

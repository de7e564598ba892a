// Content-addressed blobs: bytes are staged in equal chunks while they are hashed, and the blob is named after its
// hash.
#include "api/records.h"
#include "base/error/error.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "grant/grant.h"
#include "model/quote.h"
#include "server/access/access.h"
#include "server/access/read_scope.h"
#include "server/catalog/catalog.h"
#include "server/ingest/ingest_writer.h"
#include "server/resource_server.h"
#include "store/index/field_index.h"
#include "store/store.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ladder::server {

struct BlobHolder {
  std::shared_ptr<const HeldGrant> held;  // the grant that covers the record; null for the owner
  model::RecordRef record;
};

// Returns a visible record whose granted blob_ref names the blob; nullopt if there is none.
Result<std::optional<BlobHolder>> find_holder(store::Reader& reader, const Access& access, const OwnerCatalog& catalog,
                                              const store::Digest& blob, const api::Scope& scope);

namespace {

constexpr std::string_view kUnknownType = "application/octet-stream";

Status check_mime_type(std::string_view type) {
  const auto visible = [](char c) { return c > 0x20 && c < 0x7F; };
  const bool fit = type.size() <= limits::kMaxNameBytes &&
                   std::ranges::all_of(type, [&](char c) { return visible(c) || c == ' '; }) &&
                   (type.empty() || type.find('/') != std::string_view::npos);
  if (fit) return {};
  return fail(Code::kInvalidRequest, format("{} is not a MIME type such as image/png", model::in_quotes(type)), "mime_type");
}

// Fills the chunk as far as the source allows.
Status read_chunk(ByteSource& bytes, std::string& chunk) {
  chunk.resize(limits::kChunkBytes);
  std::size_t filled = 0;
  while (filled < chunk.size()) {
    LADDER_TRY(const std::size_t count, bytes.read(chunk.data() + filled, chunk.size() - filled));
    if (count == 0) break;
    filled += count;
  }
  chunk.resize(filled);
  return {};
}

class HeldBytes final : public ByteSource {
 public:
  explicit HeldBytes(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = rest_.copy(buffer, capacity);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// If the blob already exists, it is kept and the staged bytes are swept.
Result<store::Digest> stage_blob(store::Store& store, store::OwnerNo owner, std::string_view mime_type, ByteSource& bytes) {
  store::BlobRow blob;
  blob.mime_type = mime_type.empty() ? kUnknownType : mime_type;
  LADDER_TRY(blob.value, store.reserve_values(owner, 1));
  LADDER_TRY(const auto staging, store.stage(owner, blob.value, 1, 0));
  crypto::Sha256 hash;
  std::string chunk;
  for (std::int64_t chunk_no = 0;; ++chunk_no) {
    LADDER_CHECK(read_chunk(bytes, chunk));
    if (chunk.empty()) break;
    blob.size_bytes += static_cast<std::int64_t>(chunk.size());
    if (static_cast<std::size_t>(blob.size_bytes) > limits::kMaxValueBytes) {
      return fail(Code::kResourceLimit, format("a blob holds at most {} bytes", limits::kMaxValueBytes));
    }
    hash.update(chunk);
    LADDER_CHECK(staging->put_chunk(blob.value, chunk_no, chunk));
  }
  LADDER_CHECK(staging->finish());
  blob.digest = hash.finish();
  LADDER_CHECK(store.add_blob(owner, blob));
  return blob.digest;
}

api::Blob facts_of(const store::BlobRow& row) {
  return {store::blob_id(row.digest), row.mime_type, crypto::digest_text(row.digest), row.size_bytes, 0, {}};
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

Result<api::Blob> ResourceServer::put_blob(const Access& access, std::string_view mime_type, ByteSource& bytes) {
  LADDER_CHECK(require_owner(access));
  LADDER_CHECK(check_mime_type(mime_type));
  LADDER_TRY(const store::Digest digest, stage_blob(store_, access.owner(), mime_type, bytes));
  LADDER_TRY(const auto stored, store_.find_blob(access.owner(), digest));
  if (!stored) return fail(Code::kStoreUnavailable, "the blob was removed while it was stored; try again");
  return facts_of(*stored);
}

Status ResourceServer::put_blobs(const Access& access, std::span<const NewBlob> blobs, IngestObserver& observer) {
  LADDER_CHECK(require_owner(access));
  std::vector<store::Store::BlobBytes> together;
  std::size_t size = 0;
  const auto add_together = [&]() -> Status {
    LADDER_CHECK(with_retries(store_, observer, [&]() -> Status {
      LADDER_TRY(store::ValueId value, store_.reserve_values(access.owner(), std::ssize(together)));
      for (auto& each : together) each.blob.value = value++;
      return store_.add_blobs(access.owner(), together);
    }));
    together.clear();
    size = 0;
    return {};
  };
  for (const NewBlob& each : blobs) {
    LADDER_CHECK(check_mime_type(each.mime_type));
    if (each.bytes.size() > store::kMaxBlobBatchBytes) {
      const auto stored = with_retries(store_, observer, [&] {
        HeldBytes bytes(each.bytes);
        return stage_blob(store_, access.owner(), each.mime_type, bytes);
      });
      LADDER_CHECK(stored);
      continue;
    }
    if (size + each.bytes.size() > store::kMaxBlobBatchBytes) LADDER_CHECK(add_together());
    store::BlobRow blob;
    blob.digest = crypto::sha256(each.bytes);
    blob.size_bytes = std::ssize(each.bytes);
    blob.mime_type = each.mime_type.empty() ? kUnknownType : each.mime_type;
    together.push_back({std::move(blob), each.bytes});
    size += each.bytes.size();
  }
  return together.empty() ? Status{} : add_together();
}

Result<api::Blob> ResourceServer::blob(const Access& access, const api::BlobRequest& request) {
  const auto not_found = [&] {
    return fail(Code::kBlobNotFound, format("there is no blob {} that you may read", model::in_quotes(request.blob_id)),
                "blob_id");
  };
  if (request.first_byte < 0 || request.max_bytes < 0) return fail(Code::kInvalidRequest, "a byte range starts at 0", "range");
  const auto digest = store::blob_digest(request.blob_id);
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  LADDER_TRY(auto reader, store_.read(access.owner()));
  LADDER_TRY(const auto holder, find_holder(*reader, access, *catalog, digest.value_or(store::Digest{}), request.scope));
  LADDER_TRY(const auto access_status,
             store_.access_status({access.owner(), access.token(), holder && holder->held ? holder->held->no : 0}));
  LADDER_CHECK(check_access_status(access, holder ? holder->held.get() : nullptr, access_status, clock_.now()));
  if (!digest || !holder) return not_found();
  const auto damaged = [&](Error error) {
    if (error.code == Code::kDamagedData) {
      error.message = format("blob {} is damaged in the store and is not shown: store it again, or restore a backup",
                             model::in_quotes(request.blob_id));
    }
    return std::unexpected(std::move(error));
  };
  auto looked = store_.find_blob(access.owner(), *digest);
  if (!looked) return damaged(std::move(looked).error());
  const std::optional<store::BlobRow> row = *std::move(looked);
  if (!row) return not_found();
  api::Blob blob = facts_of(*row);
  blob.first_byte = request.first_byte;
  auto bytes = read_bytes(*reader, *row, request);
  if (!bytes) return damaged(std::move(bytes).error());
  blob.bytes = *std::move(bytes);
  if (!blob.bytes.empty() && ledger_.applies_to(access)) {
    LADDER_CHECK(ledger_.record(access, disclose(blob, holder->record, request.bytes_to_follow)));
  }
  return blob;
}

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

}  // namespace

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

}  // namespace ladder::server

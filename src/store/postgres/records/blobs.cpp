// Blobs: content-addressed bytes of an owner. Their chunks are staged first; adding the blob attaches them.
#include "base/limits.h"
#include "store/checksums/row_sums.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/staging.h"

#include <algorithm>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr Statement kLockStaged{
    "SELECT first_value FROM loose_values WHERE owner_no = :owner AND first_value = $1::bigint AND state = 0 FOR UPDATE"};
constexpr Statement kAddBlob{
    "INSERT INTO blobs (owner_no, digest, size_bytes, mime_type, value_id, sum)"
    " VALUES ($1::bigint, $2::bytea, $3::bigint, $4::text, $5::bigint, $6::bigint) ON CONFLICT (owner_no, digest) DO NOTHING"};
constexpr Statement kFindBlob{
    "SELECT digest, size_bytes, mime_type, value_id, sum FROM blobs WHERE owner_no = $1::bigint AND digest = $2::bytea"};
// Drops a damaged blob, and its bytes if its row is intact.
constexpr Statement kDropBlob{"DELETE FROM blobs WHERE owner_no = $1::bigint AND digest = $2::bytea"};
constexpr Statement kKillBytes{
    "INSERT INTO loose_values (owner_no, first_value, value_count, state, touched_at) VALUES (:owner, $1::bigint, 1, 1, 0)"
    " ON CONFLICT (owner_no, first_value) DO NOTHING"};
constexpr Statement kBytesOf{
    "SELECT chunk_no, stored, sum, raw_size FROM chunks WHERE owner_no = :owner AND value_id = $1::bigint AND chunk_no BETWEEN "
    "$2::bigint AND "
    "$3::bigint"};
constexpr std::int64_t kChunksAtOnce = 256;
constexpr Statement kAttach{"DELETE FROM loose_values WHERE owner_no = :owner AND first_value = $1::bigint"};
constexpr Statement kDiscard{"UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND first_value = $1::bigint"};

constexpr Statement kDropUnused{R"(
  WITH gone AS (
    DELETE FROM blobs b WHERE b.owner_no = $1::bigint AND b.digest = ANY ($2::bytea[])
      AND NOT EXISTS (SELECT FROM blob_refs n WHERE n.owner_no = b.owner_no AND n.digest = b.digest)
    RETURNING value_id)
  INSERT INTO loose_values (owner_no, state, touched_at, first_value, value_count) SELECT :owner, 1, $3::bigint, value_id, 1 FROM gone)"};

Result<BlobRow> read_blob(const Rows& rows, OwnerNo owner, const Digest& digest) {
  BlobRow blob{.digest = digest, .size_bytes = rows.int8(0, 1), .mime_type = rows.text(0, 2), .value = rows.int8(0, 3)};
  if (!holds(rows.maybe_int8(0, 4), blob_sum(owner, blob))) return std::unexpected(damaged_blob());
  return blob;
}

Result<bool> has_all_bytes(Connection& connection, const BlobRow& blob) {
  std::int64_t bytes = 0;
  std::string buffer;
  for (std::int64_t from = 0;; from += kChunksAtOnce) {
    LADDER_TRY(const Rows rows, connection.run_one(kBytesOf, blob.value, from, from + kChunksAtOnce - 1));
    for (int row = 0; row < rows.size(); ++row) {
      const auto chunk = intact_chunk(stored_at(rows, row, 1, 3), rows.maybe_int8(row, 2), blob.value, rows.int8(row, 0), buffer);
      if (!chunk) return false;
      bytes += std::ssize(*chunk);
    }
    if (rows.size() < kChunksAtOnce) return bytes == blob.size_bytes;
  }
}

// Drops a damaged blob inside a transaction, so that the caller writes it again.
Status drop_if_damaged(Connection& connection, OwnerNo owner, const Digest& digest) {
  LADDER_TRY(const Rows rows, connection.run_last(kFindBlob, owner, crypto::view(digest)));
  if (rows.empty()) return {};
  const auto blob = read_blob(rows, owner, digest);
  if (!blob && blob.error().code != Code::kDamagedData) return std::unexpected(blob.error());
  if (blob) {
    LADDER_TRY(const bool whole, has_all_bytes(connection, *blob));
    if (whole) return {};
    connection.add(kKillBytes, blob->value);
  }
  connection.add(kDropBlob, owner, crypto::view(digest));
  LADDER_TRY(const auto dropped, connection.run());
  return {};
}

}  // namespace

void queue_unused_blobs(Connection& connection, OwnerNo owner, const ByteaArray& digests, Instant now) {
  connection.add(kDropUnused, owner, digests, now);
}

Status PostgresStore::drop_unused_blobs(OwnerNo owner, std::span<const Digest> blobs, Instant now) {
  ByteaArray digests;
  for (const Digest& blob : blobs) digests.add(crypto::view(blob));
  return pool_.run(owner, [&](Connection& connection) -> Status {
    connection.begin();
    queue_unused_blobs(connection, owner, digests, now);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Status PostgresStore::add_blob(OwnerNo owner, const BlobRow& blob) {
  return pool_.run(owner, [&](Connection& connection) -> Status {
    connection.begin();
    LADDER_CHECK(drop_if_damaged(connection, owner, blob.digest));
    connection.add(kLockStaged, blob.value);
    connection.add(kFindBlob, owner, crypto::view(blob.digest));
    LADDER_TRY(const auto found, connection.run());
    const bool staged = !found[0].empty();
    bool exists = !found[1].empty();
    if (!staged && !exists) {
      return fail(Code::kStoreUnavailable, "the upload of the blob took too long and was removed: send the blob again");
    }
    if (!exists) {
      LADDER_TRY(const Rows added, connection.run_one(kAddBlob, owner, crypto::view(blob.digest), blob.size_bytes, blob.mime_type,
                                                      blob.value, blob_sum(owner, blob)));
      exists = added.affected() == 0;  // another program added it first
    }
    if (staged) connection.add(exists ? kDiscard : kAttach, blob.value);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Status PostgresStore::add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) {
  // Sorted, so that two programs that add the same blobs do not deadlock.
  std::vector<const BlobBytes*> sorted;
  sorted.reserve(blobs.size());
  for (const BlobBytes& each : blobs) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, [](const BlobBytes* each) { return each->blob.digest; });
  return pool_.run(owner, [&](Connection& connection) -> Status {
    connection.begin();
    for (const BlobBytes* each : sorted) LADDER_CHECK(drop_if_damaged(connection, owner, each->blob.digest));
    for (const BlobBytes* each : sorted) {
      const BlobRow& blob = each->blob;
      connection.add(kAddBlob, owner, crypto::view(blob.digest), blob.size_bytes, blob.mime_type, blob.value,
                     blob_sum(owner, blob));
    }
    LADDER_TRY(const auto added, connection.run());
    ValueRows rows;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (added[i].affected() == 0) continue;  // it already exists
      std::int64_t chunk_no = 0;
      for (std::string_view rest = sorted[i]->bytes; !rest.empty();
           rest.remove_prefix(std::min(rest.size(), limits::kChunkBytes)))
        rows.add_chunk(sorted[i]->blob.value, chunk_no++, rest.substr(0, limits::kChunkBytes));
    }
    rows.queue(connection);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Result<std::optional<BlobRow>> PostgresStore::find_blob(OwnerNo owner, const Digest& digest) {
  return pool_.read(owner, [&](Connection& connection) -> Result<std::optional<BlobRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindBlob, owner, crypto::view(digest)));
    if (rows.empty()) return std::nullopt;
    LADDER_TRY(BlobRow blob, read_blob(rows, owner, digest));
    return blob;
  });
}

}  // namespace ladder::store::postgres

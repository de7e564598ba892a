// Blobs: content-addressed bytes of an owner. Their chunks are staged first; adding the blob attaches them.
#include "base/limits.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/staging.h"

#include <algorithm>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr Statement kLockStaged{"SELECT first_value FROM loose_values WHERE first_value = $1::bigint AND state = 0 FOR UPDATE"};
constexpr Statement kAddBlob{
    "INSERT INTO blobs (owner_no, digest, size_bytes, mime_type, value_id)"
    " VALUES ($1::bigint, $2::bytea, $3::bigint, $4::text, $5::bigint) ON CONFLICT (owner_no, digest) DO NOTHING"};
constexpr Statement kFindBlob{
    "SELECT digest, size_bytes, mime_type, value_id FROM blobs WHERE owner_no = $1::bigint AND digest = $2::bytea"};
constexpr Statement kAttach{"DELETE FROM loose_values WHERE first_value = $1::bigint"};
constexpr Statement kGiveUp{"UPDATE loose_values SET state = 1 WHERE first_value = $1::bigint"};

}  // namespace

Status PostgresStore::add_blob(OwnerNo owner, const BlobRow& blob) {
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    connection.add(kLockStaged, blob.value);
    connection.add(kFindBlob, owner, crypto::view(blob.digest));
    LADDER_TRY(const auto found, connection.run());
    const bool staged = !found[0].empty();
    bool exists = !found[1].empty();
    if (!staged && !exists) {
      return fail(Code::kStoreUnavailable,
                  "the bytes of the blob are not there any more: they were swept as abandoned; send it again");
    }
    if (!exists) {
      LADDER_TRY(const Rows added,
                 connection.run_one(kAddBlob, owner, crypto::view(blob.digest), blob.size_bytes, blob.mime_type, blob.value));
      exists = added.affected() == 0;  // another program was quicker
    }
    if (staged) connection.add(exists ? kGiveUp : kAttach, blob.value);
    LADDER_TRY(const auto done, connection.commit());
    return {};
  });
}

Status PostgresStore::add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) {
  // In one order, so that two programs that add the same ones do not wait for each other in a circle.
  std::vector<const BlobBytes*> sorted;
  sorted.reserve(blobs.size());
  for (const BlobBytes& each : blobs) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, [](const BlobBytes* each) { return each->blob.digest; });
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    for (const BlobBytes* each : sorted) {
      const BlobRow& blob = each->blob;
      connection.add(kAddBlob, owner, crypto::view(blob.digest), blob.size_bytes, blob.mime_type, blob.value);
    }
    LADDER_TRY(const auto added, connection.run());
    ValueRows rows;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (added[i].affected() == 0) continue;  // it is there already
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
  return pool_.run([&](Connection& connection) -> Result<std::optional<BlobRow>> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindBlob, owner, crypto::view(digest)));
    if (rows.empty()) return std::nullopt;
    return BlobRow{.digest = crypto::to_digest(rows.bytes(0, 0)),
                   .size_bytes = rows.int8(0, 1),
                   .mime_type = rows.text(0, 2),
                   .value = rows.int8(0, 3)};
  });
}

}  // namespace ladder::store::postgres

// Blobs: content-addressed bytes of an owner. Their chunks are staged first; adding the blob attaches them.
#include "store/postgres/postgres_store.h"
#include "store/postgres/staging.h"

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

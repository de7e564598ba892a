// Adds the existing records of a stream to new indexes. Each step is one short transaction over the next records by
// key, for all indexes of the stream that have reached the same key. Owner and stream are locked in the same order as
// in changes of the catalog. Between two steps, writers maintain the index rows of keys already reached and ignore the
// others. Words are next (word_reindex.h).
#include "store/postgres/engine/migrations.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/upkeep/word_reindex.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRecordsAtOnce = 500;

constexpr Statement kFindUnready{"SELECT owner_no, stream_no FROM indexes WHERE upto IS NOT NULL ORDER BY index_no LIMIT 1"};
constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kLockStream{
    "SELECT stream_no FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint FOR NO KEY UPDATE"};
#define LADDER_PG_LEAST_UPTO \
  "(SELECT upto FROM indexes WHERE owner_no = :owner AND stream_no = $1::bigint AND upto IS NOT NULL ORDER BY upto LIMIT 1)"
constexpr Statement kFindLeastAdvanced{
    "SELECT " LADDER_PG_INDEX_SPEC_COLUMNS
    " FROM indexes i JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no"
    " WHERE i.owner_no = :owner AND i.stream_no = $1::bigint AND i.upto = " LADDER_PG_LEAST_UPTO};
constexpr Statement kNextRecords{
    "SELECT record_no, key, order_key, stored_body, raw_size FROM records"
    " WHERE owner_no = :owner AND stream_no = $1::bigint AND key > " LADDER_PG_LEAST_UPTO " ORDER BY key LIMIT $2::bigint"};
constexpr Statement kSetUpto{"UPDATE indexes SET upto = $2::bytea WHERE owner_no = :owner AND index_no = ANY ($1::bigint[])"};
constexpr Statement kSetReady{"UPDATE indexes SET upto = NULL WHERE owner_no = :owner AND index_no = ANY ($1::bigint[])"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

constexpr Statement kCountWithoutWords{
    "SELECT count(*) FROM streams s JOIN records r ON r.owner_no = s.owner_no AND r.stream_no = s.stream_no AND r.key > "
    "s.words_upto"};

struct Unready {
  OwnerNo owner = 0;
  StreamNo stream = 0;
};

Result<std::optional<Unready>> find_unready(Connection& connection) {
  LADDER_TRY(const Rows rows, connection.run_one(kFindUnready));
  if (rows.empty()) return std::nullopt;
  return Unready{rows.int8(0, 0), rows.int8(0, 1)};
}

// Returns the index rows of the records, whatever their keys. Blob references are maintained by every write.
IndexChanges rows_to_add(const std::vector<IndexSpec>& indexes, const Rows& records) {
  IndexChanges changes;
  std::string body;
  for (int row = 0; row < records.size(); ++row) {
    // An unreadable record has no entries, as if it had no fields; `ladder doctor` reports it.
    if (!read_body(records, row, 3, 4, body)) body = "{}";
    IndexRows rows = index_rows(indexes, records.bytes(row, 1), records.bytes(row, 2), body);
    rows.blob.reset();
    changes.add(rows, records.int8(row, 0));
  }
  return changes;
}

Status step(Connection& connection, const Unready& at) {
  connection.begin();
  connection.add(kLockOwner, at.owner);
  connection.add(kLockStream, at.stream);
  connection.add(kFindLeastAdvanced, at.stream);
  connection.add(kNextRecords, at.stream, kRecordsAtOnce);
  LADDER_TRY(const auto found, connection.run());
  const Rows &least_advanced = found[2], &records = found[3];
  if (least_advanced.empty()) return connection.rollback();  // another program has finished it, or the declaration has changed
  std::vector<IndexSpec> indexes;
  Int8Array numbers;
  for (int row = 0; row < least_advanced.size(); ++row) {
    indexes.push_back(read_index_spec(least_advanced, row));
    indexes.back().upto.reset();
    numbers.add(indexes.back().no);
  }
  rows_to_add(indexes, records).queue(connection);
  if (records.size() < kRecordsAtOnce) {
    connection.add(kSetReady, numbers);
    connection.add(kRaiseCatalogVersion, at.owner);
  } else {
    connection.add(kSetUpto, numbers, records.bytes(records.size() - 1, 1));
  }
  LADDER_TRY(const auto written, connection.commit());
  return {};
}

}  // namespace

Result<bool> PostgresStore::reindex(Deadline deadline) {
  for (;;) {
    LADDER_TRY(const auto unready, pool_.run_across(Crossing::kUpkeep, find_unready));
    if (!unready) break;
    if (deadline.passed()) return false;
    LADDER_CHECK(pool_.run(unready->owner, [&](Connection& connection) { return step(connection, *unready); }));
  }
  for (;;) {
    LADDER_TRY(const auto words, pool_.run_across(Crossing::kUpkeep, find_stale_stream));
    if (!words) return true;
    if (deadline.passed()) return false;
    LADDER_TRY(const bool done, reindex_words(pool_, *words, [&] { return reserve_values(words->owner, 1); }, deadline));
    if (!done) return false;
  }
}

Status PostgresStore::clear_word_index() {
  LADDER_TRY(const auto connection, Connection::open(pool_.address()));
  return postgres::clear_word_index(*connection);
}

Result<std::int64_t> PostgresStore::records_without_words() {
  return pool_.read([](Connection& connection) -> Result<std::int64_t> {
    connection.set_crossing(Crossing::kWholeStore);
    LADDER_TRY(const Rows rows, connection.run_one(kCountWithoutWords));
    return rows.int8(0, 0);
  });
}

}  // namespace ladder::store::postgres

// Reads. A Reader holds no connection: each call leases one for its round trip, so that a reader that waits for
// something else does not block others.
#include "store/index/field_versions.h"
#include "store/index/order_key.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/records/value_check.h"
#include "store/postgres/search/search_rows.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kAccessStatusOnly{"SELECT " LADDER_PG_ACCESS_STATUS_COLUMNS " FROM " LADDER_PG_ACCESS_STATUS_JOINS};
// Reads everything in one statement and therefore one snapshot. The short form is for a cached access status.
constexpr Statement kAccessStatusAndRecords{
    "SELECT " LADDER_PG_ACCESS_STATUS_COLUMNS ", " LADDER_PG_RECORD_COLUMNS " FROM " LADDER_PG_ACCESS_STATUS_JOINS
    " LEFT JOIN records r ON r.owner_no = :owner AND r.stream_no = ANY ($4::bigint[]) AND r.key = $5::bytea"};
constexpr Statement kKnownAccessStatusAndRecords{
    "SELECT o.catalog_version, o.access_version, " LADDER_PG_RECORD_COLUMNS
    " FROM owners o LEFT JOIN records r ON r.owner_no = :owner AND r.stream_no = ANY ($2::bigint[]) AND r.key = $3::bytea"
    " WHERE o.owner_no = $1::bigint"};
// For one stream, which is faster than a list of one.
constexpr Statement kKnownAccessStatusAndRecord{
    "SELECT o.catalog_version, o.access_version, " LADDER_PG_RECORD_COLUMNS
    " FROM owners o LEFT JOIN records r ON r.owner_no = :owner AND r.stream_no = $2::bigint AND r.key = $3::bytea"
    " WHERE o.owner_no = $1::bigint"};
constexpr int kKnownAccessStatusColumns = 2;
// Without a record.
constexpr Statement kKnownAccessStatus{"SELECT catalog_version, access_version FROM owners WHERE owner_no = $1::bigint"};
// For a window: reads only the body of the record, and the chunks that are probably requested next, with their numbers.
// One statement costs less than two in one round trip. The order of the rows is unspecified, so the reader checks it.
constexpr Statement kKnownAccessStatusBodyAndChunks{
    "SELECT o.access_version, o.catalog_version, r.record_no, r.stored_body, r.sum, r.raw_size"
    " FROM owners o LEFT JOIN records r ON r.owner_no = :owner AND r.stream_no = $2::bigint AND r.key = $3::bytea"
    " WHERE o.owner_no = $1::bigint"
    " UNION ALL SELECT chunk_no, NULL, NULL, stored, sum, raw_size"
    " FROM chunks WHERE owner_no = :owner AND value_id = $4::bigint AND chunk_no BETWEEN $5::bigint AND $6::bigint"};
// The same for chunks of the record's first value, whose id the caller does not know yet.
constexpr Statement kKnownAccessStatusBodyAndFirstChunks{
    "SELECT o.access_version, o.catalog_version, r.record_no, r.stored_body, r.sum, r.raw_size, r.first_value"
    " FROM owners o LEFT JOIN records r ON r.owner_no = :owner AND r.stream_no = $2::bigint AND r.key = $3::bytea"
    " WHERE o.owner_no = $1::bigint"
    " UNION ALL SELECT c.chunk_no, NULL, NULL, c.stored, c.sum, c.raw_size, NULL"
    " FROM records r JOIN chunks c ON c.owner_no = :owner AND c.value_id = r.first_value"
    " AND c.chunk_no BETWEEN $4::bigint AND $5::bigint"
    " WHERE r.owner_no = :owner AND r.stream_no = $2::bigint AND r.key = $3::bytea"};
constexpr int kBodyColumn = 3, kSumColumn = 4, kRawSizeColumn = 5, kFirstValueColumn = 6;

constexpr Statement kSelectChunks{kSelectChunksSql};
constexpr Statement kSelectDirectoryPage{kSelectDirectoryPageSql};
constexpr Statement kSelectCounters{
    "SELECT record_count, max_version FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint"};

constexpr std::string_view kAboveAllKeys = "\xff";  // no valid UTF-8 starts with it
constexpr Statement kPageUp{
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key FROM records r"
    " WHERE r.owner_no = :owner AND r.stream_no = $1::bigint AND r.order_key > $2::bytea ORDER BY r.order_key LIMIT $3::bigint"};
constexpr Statement kKeyPageUp{
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key FROM records r"
    " WHERE r.owner_no = :owner AND r.stream_no = $1::bigint AND r.key > $2::bytea ORDER BY r.key LIMIT $3::bigint"};
constexpr Statement kKeyPageDown{
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key FROM records r"
    " WHERE r.owner_no = :owner AND r.stream_no = $1::bigint AND r.key < $2::bytea ORDER BY r.key DESC LIMIT $3::bigint"};
// Order keys in [$3, $2), descending: the present or the missing cursor values.
constexpr Statement kPageDown{
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key FROM records r"
    " WHERE r.owner_no = :owner AND r.stream_no = $1::bigint AND r.order_key < $2::bytea AND r.order_key >= $3::bytea"
    " ORDER BY r.order_key DESC LIMIT $4::bigint"};

// The next entries of each field, merged. A record may appear once per field.
constexpr Statement kSelectChanges{R"(
  SELECT c.version, t.key, t.created, t.deleted_at, t.consent_time, r.key, )" LADDER_PG_RECORD_COLUMNS R"(
  FROM (SELECT e.version, e.record_no
        FROM unnest($2::bigint[]) AS f(field_no),
             LATERAL (SELECT version, record_no FROM changes
                      WHERE owner_no = :owner AND stream_no = $1::bigint AND field_no = f.field_no AND version > $3::bigint AND version <= $5::bigint
                      ORDER BY version LIMIT $4::bigint) AS e
        ORDER BY e.version LIMIT $4::bigint) AS c
  LEFT JOIN records r ON r.owner_no = :owner AND r.record_no = c.record_no
  LEFT JOIN tombstones t ON t.owner_no = :owner AND t.record_no = c.record_no
  ORDER BY c.version)"};

// Reads the records of the rows that have one, in the order of `streams`.
std::vector<RecordRow> read_records(const Rows& rows, int column, std::span<const StreamNo> streams, std::string_view key) {
  std::vector<RecordRow> records;
  for (int row = 0; row < rows.size(); ++row) {
    if (!rows.is_null(row, column)) records.push_back(read_record(rows, row, column, key));
  }
  if (records.size() < 2) return records;
  const auto place = [&](const RecordRow& record) { return std::ranges::find(streams, record.stream) - streams.begin(); };
  std::ranges::sort(records, {}, place);
  return records;
}

Int8Array to_array(std::span<const std::int64_t> numbers) {
  Int8Array array;
  for (const std::int64_t number : numbers) array.add(number);
  return array;
}

// Returns a record's newest version among the fields. Its one row in a list of changes has this version.
std::int64_t newest_version(const FieldVersions& versions, std::span<const FieldNo> fields) {
  std::int64_t newest = versions.created;
  for (const FieldNo field : fields) {
    if (const auto at = versions.changed.find(field); at != versions.changed.end()) newest = std::max(newest, at->second);
  }
  return newest;
}

// Reads a row of kSelectChanges. Returns nullopt when the record has a newer version among the fields, and so another row.
Result<std::optional<ChangeRow>> read_change(const Rows& rows, int row, std::span<const FieldNo> fields) {
  constexpr int kKey = 5, kRecord = 6;
  const std::int64_t version = rows.int8(row, 0);
  if (!rows.is_null(row, 1)) {
    return ChangeRow{.version = version,
                     .created = rows.int8(row, 2),
                     .key = rows.text(row, 1),
                     .deleted = true,
                     .deleted_at = rows.maybe_int8(row, 3),
                     .consent_time = rows.maybe_int8(row, 4)};
  }
  if (rows.is_null(row, kKey)) return std::nullopt;
  const RecordMetadata head = read_head(rows, row, kRecord, rows.bytes(row, kKey));
  const auto versions = FieldVersions::decode(head.field_versions);
  if (!versions || !metadata_matches(rows.maybe_int8(row, kRecord + kSumOfRecord), head)) {
    return std::unexpected(damaged_record(head.no));
  }
  if (newest_version(*versions, fields) != version) return std::nullopt;
  return ChangeRow{.version = version,
                   .created = versions->created,
                   .key = std::string(head.key),
                   .deleted = false,
                   .deleted_at = {},
                   .consent_time = {}};
}

struct ChunkRange {
  ValueId text_id = 0;
  std::int64_t first = 0, last = 0;  // inclusive

  friend bool operator==(const ChunkRange&, const ChunkRange&) = default;
};

class PostgresReader final : public Reader {
 public:
  PostgresReader(Pool& pool, OwnerNo owner, AccessStatusCache& known, StreamCache& streams, BlockCache& blocks)
      : pool_(pool), owner_(owner), known_(known), streams_(streams), blocks_(blocks) {}

  Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) override {
    LADDER_TRY(GuardedRecords guarded, found_records(guard, streams, key));
    for (const RecordRow& record : guarded.records) LADDER_CHECK(pass(record));
    return guarded;
  }

  Result<std::vector<AccessStatusRow>> access_statuses(OwnerNo owner, TokenNo token, std::span<const GrantNo> grants) override {
    return pool_.read(owner, [&](Connection& connection) -> Result<std::vector<AccessStatusRow>> {
      for (const GrantNo grant : grants) connection.add(kAccessStatusOnly, owner, token, grant);
      std::vector<AccessStatusRow> statuses;
      if (grants.empty()) return statuses;
      LADDER_TRY(const auto answers, connection.run());
      for (const Rows& rows : answers) statuses.push_back(read_access_status(rows, 0).access_status);
      return statuses;
    });
  }

  Result<GuardedRecords> found_records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) {
    return pool_.read(owner_, [&](Connection& connection) -> Result<GuardedRecords> {
      if (const auto known = known_.find(guard)) {
        LADDER_TRY(auto found, records_if_current(connection, *known, guard.owner, streams, key));
        if (found) return *std::move(found);
      }
      LADDER_TRY(const Rows rows,
                 connection.run_one(kAccessStatusAndRecords, guard.owner, guard.token, guard.grant, to_array(streams), key));
      const FoundAccessStatus access_status = read_access_status(rows, 0);
      known_.keep(guard, access_status);
      return GuardedRecords{access_status.access_status, read_records(rows, kAccessStatusColumns, streams, key)};
    });
  }

  Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) override {
    std::vector<std::string> chunks;
    LADDER_CHECK(each_chunk(text_id, first, last, [&](std::string_view chunk) { chunks.emplace_back(chunk); }));
    return chunks;
  }

  Result<std::int64_t> each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) override {
    std::string buffer;
    if (const auto range = prefetched_rows({text_id, first, last})) {
      const Rows rows = *std::exchange(prefetched_, std::nullopt);
      for (int row = range->first; row < range->last; ++row) {
        const auto bytes = intact_chunk(stored_at(rows, row, kBodyColumn, kRawSizeColumn), rows.maybe_int8(row, kSumColumn),
                                        text_id, rows.int8(row, 0), buffer);
        if (!bytes) return std::unexpected(damaged_value(text_id));
        use(*bytes);
      }
      return range->last - range->first;
    }
    return pool_.read(owner_, [&](Connection& connection) -> Result<std::int64_t> {
      LADDER_TRY(const Rows rows, connection.run_one(kSelectChunks, text_id, first, last));
      for (int row = 0; row < rows.size(); ++row) {
        const auto bytes = intact_chunk(stored_at(rows, row, 0, 3), rows.maybe_int8(row, 2), text_id, rows.int8(row, 1), buffer);
        if (!bytes) return std::unexpected(damaged_value(text_id));
        use(*bytes);
      }
      return rows.size();
    });
  }

  void expect_window(ValueId text_id, std::int64_t first, std::int64_t last) override {
    expected_ = ChunkRange{text_id, first, last};
    prefetched_.reset();  // it belongs to the hint before
  }

  Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) override {
    return pool_.read(owner_, [&](Connection& connection) -> Result<std::optional<std::string>> {
      LADDER_TRY(const Rows rows, connection.run_one(kSelectDirectoryPage, value, key));
      if (rows.empty()) return std::nullopt;
      std::string page = rows.text(0, 0);
      if (!holds(rows.maybe_int8(0, 2), page_sum(value, rows.int8(0, 1), page))) return std::unexpected(damaged_value(value));
      return page;
    });
  }

  Result<bool> values_intact(const RecordRow& record) override {
    return pool_.read(owner_, [&](Connection& connection) -> Result<bool> {
      StoredValues values{record.first_value, record.value_count, record.body};
      LADDER_CHECK(check_values(connection, std::span(&values, 1)));
      return values.intact;
    });
  }

  Result<StreamCounters> counters(StreamNo stream) override {
    return pool_.read(owner_, [&](Connection& connection) -> Result<StreamCounters> {
      LADDER_TRY(const Rows rows, connection.run_one(kSelectCounters, stream));
      if (rows.empty()) return StreamCounters{};
      return StreamCounters{.records = rows.int8(0, 0), .max_version = rows.int8(0, 1)};
    });
  }

  Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) override {
    return pool_.read(owner_, [&](Connection& connection) -> Result<std::vector<RecordRow>> {
      if (!descending) {
        LADDER_TRY(const Rows rows, connection.run_one(kPageUp, stream, after, limit));
        return pass(read_page(rows));
      }
      LADDER_TRY(auto rows, page_down(connection, stream, after, limit));
      return pass(std::move(rows));
    });
  }

  Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                             std::int64_t limit) override {
    return pool_.read(owner_, [&](Connection& connection) -> Result<std::vector<RecordRow>> {
      const std::string_view from = descending && after.empty() ? kAboveAllKeys : after;
      LADDER_TRY(const Rows rows, connection.run_one(descending ? kKeyPageDown : kKeyPageUp, stream, from, limit));
      return pass(read_page(rows));
    });
  }

  Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto,
                                         std::int64_t limit) override {
    std::vector<FieldNo> asked(fields.begin(), fields.end());
    asked.push_back(kWholeRecord);
    std::ranges::sort(asked);
    asked.erase(std::ranges::unique(asked).begin(), asked.end());
    return pool_.read(owner_, [&](Connection& connection) { return changes_of(connection, stream, asked, since, upto, limit); });
  }

  Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                             std::int64_t limit) override {
    LADDER_TRY(auto rows, pool_.read(owner_, [&](Connection& connection) {
      return postgres::index_page(connection, index, range, descending, limit);
    }));
    return pass(std::move(rows));
  }
  Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) override {
    return pool_.read(owner_, [&](Connection& connection) { return postgres::last_order_key(connection, stream, range); });
  }

  Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) override {
    return pool_.read(owner_, [&](Connection& connection) { return postgres::index_count(connection, index, range, limit); });
  }
  Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) override {
    return pool_.read(owner_, [&](Connection& connection) { return postgres::order_count(connection, stream, range, limit); });
  }
  Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) override {
    return pool_.read(owner_, [&](Connection& connection) { return postgres::index_days(connection, index, first, last); });
  }
  Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) override {
    LADDER_TRY(auto rows, pool_.read(owner_, [&](Connection& connection) {
      return postgres::records_with_blob(connection, blob, after, limit);
    }));
    return pass(std::move(rows));
  }

  Result<WordPage> search(const WordSearch& search) override {
    LADDER_TRY(WordPage page, search_words(pool_, owner_, streams_, blocks_, search));
    for (const WordHit& hit : page.hits) LADDER_CHECK(pass(hit.record));
    return page;
  }

 private:
  // Returns the records if the cached access status is still current.
  Result<std::optional<GuardedRecords>> records_if_current(Connection& connection, const FoundAccessStatus& known, OwnerNo owner,
                                                           std::span<const StreamNo> streams, std::string_view key) {
    prefetched_.reset();
    if (streams.size() == 1 && expected_) return body_and_chunks(connection, known, owner, streams.front(), key);
    if (streams.empty()) connection.add(kKnownAccessStatus, owner);
    else if (streams.size() == 1) connection.add(kKnownAccessStatusAndRecord, owner, streams.front(), key);
    else connection.add(kKnownAccessStatusAndRecords, owner, to_array(streams), key);
    LADDER_TRY(const auto answers, connection.run());
    const Rows& rows = answers.front();
    if (rows.empty() || rows.int8(0, 1) != known.access_version) return std::nullopt;
    GuardedRecords found{known.access_status, {}};
    if (!streams.empty()) found.records = read_records(rows, kKnownAccessStatusColumns, streams, key);
    found.access_status.catalog_version = rows.int8(0, 0);
    return found;
  }

  Result<std::optional<GuardedRecords>> body_and_chunks(Connection& connection, const FoundAccessStatus& known, OwnerNo owner,
                                                        StreamNo stream, std::string_view key) {
    const bool guessed = expected_->text_id == kFirstValue;
    if (guessed) connection.add(kKnownAccessStatusBodyAndFirstChunks, owner, stream, key, expected_->first, expected_->last);
    else
      connection.add(kKnownAccessStatusBodyAndChunks, owner, stream, key, expected_->text_id, expected_->first, expected_->last);
    LADDER_TRY(auto answers, connection.run());
    Rows rows = std::move(answers.front());
    if (rows.empty() || rows.is_null(0, 1) || rows.int8(0, 0) != known.access_version) return std::nullopt;
    GuardedRecords found{known.access_status, {}};
    found.access_status.catalog_version = rows.int8(0, 1);
    if (!rows.is_null(0, 2)) {
      RecordRow& record = found.records.emplace_back();
      record.no = rows.int8(0, 2);
      record.stream = stream;
      record.key = key;
      const bool readable = read_body(rows, 0, kBodyColumn, kRawSizeColumn, record.body);
      if (!readable || !body_matches(rows.maybe_int8(0, kSumColumn), record.no, key, record.body)) strip_damaged(record);
      if (guessed) expected_->text_id = rows.int8(0, kFirstValueColumn);
    }
    prefetched_ = std::move(rows);
    return found;
  }

  struct RowRange {
    int first = 0, last = 0;  // [first, last)
  };
  // The rows of prefetched chunks, if they are exactly the wanted ones; a value may end before the last of them.
  std::optional<RowRange> prefetched_rows(const ChunkRange& wanted) const {
    if (!prefetched_ || !expected_ || expected_->text_id != wanted.text_id || wanted.first < expected_->first ||
        wanted.last > expected_->last) {
      return std::nullopt;
    }
    const Rows& rows = *prefetched_;
    for (int row = 1; row < rows.size(); ++row) {
      if (!rows.is_null(row, 1) || rows.int8(row, 0) != expected_->first + row - 1) return std::nullopt;
    }
    const auto row_of = [&](std::int64_t chunk) {
      return static_cast<int>(std::min<std::int64_t>(rows.size(), 1 + chunk - expected_->first));
    };
    return RowRange{row_of(wanted.first), row_of(wanted.last + 1)};
  }

  // First the present cursor values in descending order, then the missing ones.
  static Result<std::vector<RecordRow>> page_down(Connection& connection, StreamNo stream, std::string_view after,
                                                  std::int64_t limit) {
    const std::string missing(1, static_cast<char>(kMissingCursorTag));
    const std::string end(1, static_cast<char>(kMissingCursorTag + 1));
    const bool among_missing = !after.empty() && after >= std::string_view(missing);
    std::vector<RecordRow> page;
    if (!among_missing) {
      LADDER_TRY(const Rows present,
                 connection.run_one(kPageDown, stream, after.empty() ? missing : after, std::string_view(), limit));
      page = read_page(present);
      if (std::ssize(page) >= limit) return page;
    }
    LADDER_TRY(const Rows rows, connection.run_one(kPageDown, stream, among_missing ? after : std::string_view(end), missing,
                                                   limit - std::ssize(page)));
    std::ranges::move(read_page(rows), std::back_inserter(page));
    return page;
  }

  static Result<std::vector<ChangeRow>> changes_of(Connection& connection, StreamNo stream, std::span<const FieldNo> fields,
                                                   std::int64_t since, std::int64_t upto, std::int64_t limit) {
    const Int8Array field_array = to_array(fields);
    std::vector<ChangeRow> changes;
    while (std::ssize(changes) < limit) {
      LADDER_TRY(const Rows rows, connection.run_one(kSelectChanges, stream, field_array, since, limit, upto));
      for (int row = 0; row < rows.size() && std::ssize(changes) < limit; ++row) {
        if (rows.int8(row, 0) == since) continue;  // the same record through another of its fields
        since = rows.int8(row, 0);
        LADDER_TRY(auto change, read_change(rows, row, fields));
        if (change) changes.push_back(*std::move(change));
      }
      if (rows.size() < limit) break;
    }
    return changes;
  }

  Pool& pool_;
  const OwnerNo owner_;
  AccessStatusCache& known_;
  StreamCache& streams_;
  BlockCache& blocks_;
  std::optional<ChunkRange> expected_;
  std::optional<Rows> prefetched_;  // the last records(), with the prefetched chunks from its second row on
};

}  // namespace

Result<std::unique_ptr<Reader>> PostgresStore::read(OwnerNo owner) {
  return std::make_unique<PostgresReader>(pool_, owner, access_status_cache_, stream_cache_, block_cache_);
}

}  // namespace ladder::store::postgres

#include "store/postgres/records/index_rows.h"

#include "store/postgres/engine/record_rows.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::postgres {
namespace {

// One index lookup per row, independent of planner statistics. The stream is locked, so no other writer changes its rows.
constexpr Statement kDropEntries{R"(
  DELETE FROM index_entries WHERE ctid = ANY (ARRAY(
    SELECT e.ctid
    FROM (SELECT unnest($1::bigint[]) AS index_no, unnest($2::bytea[]) AS entry) AS w,
         LATERAL (SELECT ctid FROM index_entries WHERE owner_no = :owner AND index_no = w.index_no AND entry = w.entry OFFSET 0) AS e)))"};
constexpr Statement kAddEntries{
    "INSERT INTO index_entries (owner_no, index_no, entry, record_no)"
    " SELECT :owner, unnest($1::bigint[]), unnest($2::bytea[]), unnest($3::bigint[])"};
constexpr Statement kCountDays{
    "INSERT INTO index_days (owner_no, index_no, day, records) SELECT :owner, unnest($1::bigint[]), unnest($2::bigint[]), "
    "unnest($3::bigint[])"
    " ON CONFLICT (owner_no, index_no, day) DO UPDATE SET records = index_days.records + excluded.records"};
constexpr Statement kDropEmptyDays{R"(
  DELETE FROM index_days WHERE ctid = ANY (ARRAY(
    SELECT d.ctid
    FROM (SELECT unnest($1::bigint[]) AS index_no, unnest($2::bigint[]) AS day) AS w,
         LATERAL (SELECT ctid, records FROM index_days WHERE owner_no = :owner AND index_no = w.index_no AND day = w.day OFFSET 0) AS d
    WHERE d.records = 0)))"};
constexpr Statement kDropBlobRefs{R"(
  DELETE FROM blob_refs WHERE ctid = ANY (ARRAY(
    SELECT b.ctid
    FROM (SELECT unnest($1::bytea[]) AS digest, unnest($2::bigint[]) AS record_no) AS w,
         LATERAL (SELECT ctid FROM blob_refs WHERE owner_no = :owner AND digest = w.digest AND record_no = w.record_no OFFSET 0) AS b)))"};
constexpr Statement kAddBlobRefs{
    "INSERT INTO blob_refs (owner_no, digest, record_no) SELECT :owner, unnest($1::bytea[]), unnest($2::bigint[])"};

// Returns the entries of one sorted list that the other lacks.
template <class T>
std::vector<T> missing_from(const std::vector<T>& list, const std::vector<T>& other) {
  std::vector<T> only;
  std::ranges::set_difference(list, other, std::back_inserter(only));
  return only;
}

IndexRows difference(const IndexRows& rows, const IndexRows& other) {
  return {.entries = missing_from(rows.entries, other.entries),
          .days = missing_from(rows.days, other.days),
          .blob = rows.blob == other.blob ? std::nullopt : rows.blob};
}

}  // namespace

void IndexChanges::add(const IndexRows& rows, RecordNo record) {
  for (const IndexEntry& entry : rows.entries) add_entry(entry, record);
  for (const IndexDay& day : rows.days) ++days_[day];
  if (!rows.blob) return;
  added_blob_.add(crypto::view(*rows.blob));
  added_blob_record_.add(record);
}

void IndexChanges::drop(const IndexRows& rows, RecordNo record) {
  for (const IndexEntry& entry : rows.entries) drop_entry(entry);
  for (const IndexDay& day : rows.days) --days_[day];
  if (!rows.blob) return;
  dropped_blob_.add(crypto::view(*rows.blob));
  dropped_blob_record_.add(record);
}

void IndexChanges::replace(const IndexRows& before, const IndexRows& after, RecordNo record) {
  drop(difference(before, after), record);
  add(difference(after, before), record);
}

void IndexChanges::add_entry(const IndexEntry& entry, RecordNo record) {
  added_index_.add(entry.index);
  added_entry_.add(entry.bytes);
  added_record_.add(record);
}

void IndexChanges::drop_entry(const IndexEntry& entry) {
  dropped_index_.add(entry.index);
  dropped_entry_.add(entry.bytes);
}

void IndexChanges::queue(Connection& connection) const {
  if (!dropped_index_.empty()) connection.add(kDropEntries, dropped_index_, dropped_entry_);
  if (!added_index_.empty()) connection.add(kAddEntries, added_index_, added_entry_, added_record_);
  queue_days(connection);
  if (!dropped_blob_.empty()) connection.add(kDropBlobRefs, dropped_blob_, dropped_blob_record_);
  if (!added_blob_.empty()) connection.add(kAddBlobRefs, added_blob_, added_blob_record_);
}

void IndexChanges::queue_days(Connection& connection) const {
  Int8Array index, day, more, decreased_index, decreased_day;
  for (const auto& [at, growth] : days_) {
    if (growth == 0) continue;
    index.add(at.index);
    day.add(at.day);
    more.add(growth);
    if (growth > 0) continue;
    decreased_index.add(at.index);
    decreased_day.add(at.day);
  }
  if (!index.empty()) connection.add(kCountDays, index, day, more);
  if (!decreased_index.empty()) connection.add(kDropEmptyDays, decreased_index, decreased_day);
}

IndexSpec read_index_spec(const Rows& rows, int row, int column) {
  IndexSpec spec;
  spec.no = rows.int8(row, column);
  spec.kind = static_cast<IndexKind>(rows.int8(row, column + 1));
  spec.field = rows.text(row, column + 2);
  if (!rows.is_null(row, column + 3)) spec.upto = rows.text(row, column + 3);
  return spec;
}

namespace {

constexpr Statement kIndexPageUp{kIndexPageUpSql};
constexpr Statement kIndexPageDown{kIndexPageDownSql};
constexpr Statement kIndexCount{kIndexCountSql};
constexpr Statement kOrderCount{kOrderCountSql};
constexpr Statement kLastOrderKey{kLastOrderKeySql};
constexpr Statement kIndexDays{kIndexDaysSql};
constexpr Statement kRecordsWithBlob{kRecordsWithBlobSql};

// Above every entry and every order key: an order key starts with a tag other than 0xFF, and in an entry it starts
// after at most 33 bytes.
const std::string kAboveAll(64, '\xFF');

std::string_view end_of(const IndexRange& range) { return range.to.empty() ? kAboveAll : range.to; }

}  // namespace

Result<std::vector<IndexedRow>> index_page(Connection& connection, IndexNo index, const IndexRange& range, bool descending,
                                           std::int64_t limit) {
  LADDER_TRY(const Rows rows,
             connection.run_one(descending ? kIndexPageDown : kIndexPageUp, index, range.from, end_of(range), limit));
  std::vector<IndexedRow> page;
  page.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    page.push_back(
        {.entry = rows.text(row, kRecordColumns + 1), .record = read_record(rows, row, 0, rows.bytes(row, kRecordColumns))});
  }
  return page;
}

Result<std::int64_t> index_count(Connection& connection, IndexNo index, const IndexRange& range, std::int64_t limit) {
  LADDER_TRY(const Rows rows, connection.run_one(kIndexCount, index, range.from, end_of(range), limit));
  return rows.int8(0, 0);
}

Result<std::int64_t> order_count(Connection& connection, StreamNo stream, const IndexRange& range, std::int64_t limit) {
  LADDER_TRY(const Rows rows, connection.run_one(kOrderCount, stream, range.from, end_of(range), limit));
  return rows.int8(0, 0);
}

Result<std::optional<std::string>> last_order_key(Connection& connection, StreamNo stream, const IndexRange& range) {
  LADDER_TRY(const Rows rows, connection.run_one(kLastOrderKey, stream, range.from, end_of(range)));
  if (rows.empty()) return std::nullopt;
  return rows.text(0, 0);
}

Result<std::vector<DayCount>> index_days(Connection& connection, IndexNo index, std::int64_t first, std::int64_t last) {
  LADDER_TRY(const Rows rows, connection.run_one(kIndexDays, index, first, last));
  std::vector<DayCount> days;
  days.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) days.push_back({.day = rows.int8(row, 0), .records = rows.int8(row, 1)});
  return days;
}

Result<std::vector<RecordRow>> records_with_blob(Connection& connection, const Digest& blob, RecordNo after, std::int64_t limit) {
  LADDER_TRY(const Rows rows, connection.run_one(kRecordsWithBlob, crypto::view(blob), after, limit));
  return read_page(rows);
}

}  // namespace ladder::store::postgres

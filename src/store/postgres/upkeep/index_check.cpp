#include "store/postgres/upkeep/index_check.h"

#include "base/text/format.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/index_rows.h"

#include <array>
#include <optional>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRowsAtOnce = 10'000;

constexpr Statement kAllIndexes{
    "SELECT " LADDER_PG_INDEX_SPEC_COLUMNS
    ", i.stream_no FROM indexes i JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no"
    " WHERE i.owner_no = :owner"};
constexpr Statement kMissingEntries{R"(
  SELECT w.record_no, w.index_no
  FROM unnest($1::bigint[], $2::bytea[], $3::bigint[]) AS w(index_no, entry, record_no)
  WHERE NOT EXISTS (SELECT FROM index_entries e WHERE e.owner_no = :owner AND e.index_no = w.index_no AND e.entry = w.entry AND e.record_no = w.record_no))"};
constexpr Statement kMissingBlobRefs{R"(
  SELECT w.record_no FROM unnest($1::bytea[], $2::bigint[]) AS w(digest, record_no)
  WHERE NOT EXISTS (SELECT FROM blob_refs b WHERE b.owner_no = :owner AND b.digest = w.digest AND b.record_no = w.record_no))"};
constexpr Statement kCountRows{
    "SELECT (SELECT count(*) FROM index_entries WHERE owner_no = :owner AND index_no NOT IN (SELECT index_no FROM dead_indexes)),"
    " (SELECT count(*) FROM blob_refs WHERE owner_no = :owner)"};
constexpr Statement kDaysAfter{R"(
  SELECT d.index_no, d.day, d.records FROM index_days d
  WHERE d.owner_no = :owner AND (d.index_no, d.day) > ($1::bigint, $2::bigint) AND d.index_no NOT IN (SELECT index_no FROM dead_indexes)
  ORDER BY d.index_no, d.day LIMIT $3::bigint)"};

}  // namespace

Status IndexCheck::load() {
  LADDER_TRY(const Rows rows, connection_.run_one(kAllIndexes));
  for (int row = 0; row < rows.size(); ++row) indexes_[rows.int8(row, 4)].push_back(read_index_spec(rows, row));
  return {};
}

void IndexCheck::expect(RecordNo record, StreamNo stream, std::string_view key, std::string_view order_key,
                        std::string_view body) {
  const IndexRows rows = index_rows(indexes_[stream], key, order_key, body);
  for (const IndexEntry& entry : rows.entries) {
    expected_.index.add(entry.index);
    expected_.entry.add(entry.bytes);
    expected_.entry_record.add(record);
    ++entries_;
  }
  for (const IndexDay& day : rows.days) ++days_[day];
  if (!rows.blob) return;
  expected_.blob.add(crypto::view(*rows.blob));
  expected_.blob_record.add(record);
  ++blobs_;
}

Status IndexCheck::look_up() {
  const Expected expected = std::exchange(expected_, {});
  connection_.add(kMissingEntries, expected.index, expected.entry, expected.entry_record);
  connection_.add(kMissingBlobRefs, expected.blob, expected.blob_record);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows &entries = answers[0], &blobs = answers[1];
  for (int row = 0; row < entries.size(); ++row) {
    fault_(format("record {} has no entry for its value in index {}", entries.int8(row, 0), entries.int8(row, 1)));
  }
  for (int row = 0; row < blobs.size(); ++row)
    fault_(format("the reference of record {} to a blob is missing", blobs.int8(row, 0)));
  return {};
}

Status IndexCheck::finish() {
  LADDER_CHECK(check_totals());
  return check_days();
}

// Every expected row was found, so equal totals prove that there are no others.
Status IndexCheck::check_totals() {
  connection_.add(kCountRows);
  LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
  const Rows& found = answers[0];
  if (found.int8(0, 0) != entries_) {
    fault_(format("the indexes have {} entries, but the records require {}", found.int8(0, 0), entries_));
  }
  if (found.int8(0, 1) != blobs_) {
    fault_(format("the store has {} references to blobs, but the records require {}", found.int8(0, 1), blobs_));
  }
  return {};
}

Status IndexCheck::check_days() {
  for (IndexDay after{.index = 0, .day = 0};;) {
    LADDER_TRY(const Rows rows, connection_.run_one(kDaysAfter, after.index, after.day, kRowsAtOnce));
    if (rows.empty()) break;
    for (int row = 0; row < rows.size(); ++row) {
      after = {.index = rows.int8(row, 0), .day = rows.int8(row, 1)};
      const auto at = days_.extract(after);
      const std::int64_t wanted = at.empty() ? 0 : at.mapped();
      if (rows.int8(row, 2) != wanted || wanted == 0) {
        fault_(format("index {} counts {} records on day {}, not {}", after.index, rows.int8(row, 2), after.day, wanted));
      }
    }
  }
  for (const auto& [at, wanted] : days_) {
    fault_(format("index {} counts no records on day {}, not {}", at.index, at.day, wanted));
  }
  return {};
}

}  // namespace ladder::store::postgres

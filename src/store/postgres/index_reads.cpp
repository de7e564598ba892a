#include "store/postgres/index_reads.h"

#include "store/postgres/read_statements.h"
#include "store/postgres/record_rows.h"

#include <string>
#include <string_view>

namespace ladder::store::postgres {
namespace {

constexpr Statement kIndexPageUp{kIndexPageUpSql};
constexpr Statement kIndexPageDown{kIndexPageDownSql};
constexpr Statement kIndexCount{kIndexCountSql};
constexpr Statement kOrderCount{kOrderCountSql};
constexpr Statement kLastOrderKey{kLastOrderKeySql};
constexpr Statement kIndexDays{kIndexDaysSql};
constexpr Statement kRecordsWithBlob{kRecordsWithBlobSql};

// Above every entry: the ordering key in it begins, after 33 bytes at most, with a tag that is no 0xFF. And so above every
// ordering key.
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

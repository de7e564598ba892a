// Records found by value: the field index, its days, and who refers to a blob.
#include "store/sqlite/records/reader.h"

#include <string>

namespace ladder::store::sqlite {
namespace {

// Above every entry: at most 33 bytes of an entry's value can be 0xFF, and no ordering key begins with it.
constexpr std::string_view kAboveAllEntries{
    "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
    "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
    34};
constexpr std::string_view kAboveAllOrderKeys{"\xFF", 1};

std::string_view end_of(const IndexRange& range, std::string_view above_all) { return range.to.empty() ? above_all : range.to; }

}  // namespace

Result<std::vector<IndexedRow>> SqliteReader::index_page(IndexNo index, const IndexRange& range, bool descending,
                                                         std::int64_t limit) {
  LADDER_CHECK(begin());
  Statement rows = connection_->use(descending ? Sql::kIndexPageBackward : Sql::kIndexPageForward);
  rows.integer(1, index).blob(2, range.from).blob(3, end_of(range, kAboveAllEntries)).integer(4, limit);
  std::vector<IndexedRow> found;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return pass(std::move(found));
    found.push_back({rows.string_at(kRecordColumns + 2),
                     record_of(rows, rows.integer_at(kRecordColumns + 1), rows.bytes_at(kRecordColumns))});
  }
}

Result<std::int64_t> SqliteReader::count(Sql statement, std::int64_t of, const IndexRange& range, std::string_view above_all,
                                         std::int64_t limit) {
  LADDER_CHECK(begin());
  Statement row = connection_->use(statement);
  row.integer(1, of).blob(2, range.from).blob(3, end_of(range, above_all)).integer(4, limit);
  LADDER_TRY(const bool found, row.step());
  return found ? row.integer_at(0) : 0;
}

Result<std::int64_t> SqliteReader::index_count(IndexNo index, const IndexRange& range, std::int64_t limit) {
  return count(Sql::kIndexCount, index, range, kAboveAllEntries, limit);
}

Result<std::int64_t> SqliteReader::order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) {
  return count(Sql::kOrderCount, stream, range, kAboveAllOrderKeys, limit);
}

Result<std::optional<std::string>> SqliteReader::last_order_key(StreamNo stream, const IndexRange& range) {
  LADDER_CHECK(begin());
  Statement row = connection_->use(Sql::kLastOrderKey);
  LADDER_TRY(const bool found, row.integer(1, stream).blob(2, range.from).blob(3, end_of(range, kAboveAllOrderKeys)).step());
  if (!found) return std::nullopt;
  return row.string_at(0);
}

Result<std::vector<DayCount>> SqliteReader::index_days(IndexNo index, std::int64_t first, std::int64_t last) {
  LADDER_CHECK(begin());
  Statement rows = connection_->use(Sql::kIndexDays);
  rows.integer(1, index).integer(2, first).integer(3, last);
  std::vector<DayCount> days;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return days;
    days.push_back({rows.integer_at(0), rows.integer_at(1)});
  }
}

Result<std::vector<RecordRow>> SqliteReader::records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) {
  LADDER_CHECK(begin());
  Statement rows = connection_->use(Sql::kRecordsWithBlob);
  rows.blob(1, crypto::view(blob)).integer(2, after).integer(3, limit);
  std::vector<RecordRow> found;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return pass(std::move(found));
    found.push_back(record_of(rows, rows.integer_at(kRecordColumns + 1), rows.bytes_at(kRecordColumns)));
  }
}

}  // namespace ladder::store::sqlite

// Reads records, long values and pages, and finds records by value. The change log is in changes.cpp.
#include "store/sqlite/records/reader.h"

#include "store/index/order_key.h"
#include "store/search/search_words.h"
#include "store/sqlite/engine/recent_chunks.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/search/search_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace ladder::store::sqlite {
namespace {

constexpr std::string_view kMissingFrom{"\xF0", 1};
static_assert(static_cast<unsigned char>(kMissingFrom[0]) == kMissingCursorTag);
constexpr std::string_view kAboveAll{"\xFF", 1};  // no order key starts with it
constexpr std::int64_t kWindowChunks = 8;         // a longer read is not a window; its chunks would evict all others

// The key of a chunk in the cache; a value has fewer than 2^24 chunks.
std::int64_t chunk_row(ValueId value, std::int64_t chunk_no) { return value << 24 | chunk_no; }

Status collect_page(std::vector<RecordRow>& rows, Statement& statement, StreamNo stream) {
  for (;;) {
    LADDER_TRY(const bool row, statement.step());
    if (!row) return {};
    rows.push_back(record_of(statement, stream, statement.bytes_at(kRecordColumns)));
  }
}

}  // namespace

Result<bool> values_intact(Connection& connection, ValueId first, std::int64_t count, std::string_view body) {
  if (count == 0) return true;
  const ValueId end = first + count;
  std::map<ValueId, std::int64_t> bytes;
  {
    ChunkRows chunks(connection, first, end);
    for (;;) {
      LADDER_TRY(const bool row, chunks.next());
      if (!row) break;
      if (!chunks.is_intact()) return false;
      bytes[chunks.value()] += std::ssize(chunks.bytes());
    }
  }
  for (json::Members members(body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    LADDER_TRY(const LongRef ref, parse_reference(members.value().text));
    if (bytes[ref.text_id] != ref.size_bytes) return false;
  }
  Statement pages = connection.use(Sql::kDirectoryPages);
  pages.integer(1, first).integer(2, end - 1);
  for (;;) {
    LADDER_TRY(const bool row, pages.step());
    if (!row) return true;
    if (!holds(pages.maybe_integer_at(3), page_sum(pages.integer_at(0), pages.integer_at(2), pages.bytes_at(1)))) return false;
  }
}

Result<bool> SqliteReader::values_intact(const RecordRow& record) {
  LADDER_CHECK(begin());
  return sqlite::values_intact(*connection_, record.first_value, record.value_count, record.body);
}

Status SqliteReader::begin() {
  if (begun_) return {};
  LADDER_CHECK(connection_->use(Sql::kBegin).run());
  begun_ = true;
  return {};
}

// The last read is still valid if nothing was committed since, which costs one integer to check. Otherwise this reads
// the guard's access status.
Result<Connection::LastRead*> SqliteReader::validate_last_read(const Guard& guard) {
  std::int64_t version = 0;
  {
    Statement statement = connection_->use(Sql::kDataVersion);
    LADDER_TRY(const bool row, statement.step());
    if (row) version = statement.integer_at(0);
  }
  data_version_ = version;
  auto& last = connection_->last_read();
  if (!last || last->data_version != version || last->guard != guard) {
    LADDER_TRY(const AccessStatusRow access_status, read_access_status(*connection_, guard));
    last = {version, guard, access_status, 0, {}, {}};
  }
  return &*last;
}

// A caller that reads a long value in windows requests the same record each time. It is cached from the second request on.
Result<std::optional<RecordRow>> SqliteReader::record(Connection::LastRead& last, StreamNo stream, std::string_view key) {
  const bool again = last.stream == stream && last.key == key;
  if (again && last.record) return last.record;
  Statement statement = connection_->use(Sql::kRecord);
  LADDER_TRY(const bool row, statement.integer(1, stream).blob(2, key).step());
  last.record.reset();
  last.stream = stream;
  last.key = key;
  if (!row) return std::nullopt;
  RecordRow found = record_of(statement, stream, key);
  if (again) last.record = found;
  return found;
}

Result<GuardedRecords> SqliteReader::records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) {
  LADDER_CHECK(begin());
  LADDER_TRY(Connection::LastRead* const last, validate_last_read(guard));
  GuardedRecords found;
  found.access_status = last->access_status;
  for (const StreamNo stream : streams) {
    LADDER_TRY(auto row, record(*last, stream, key));
    if (!row) continue;
    LADDER_CHECK(pass(*row));
    found.records.push_back(*std::move(row));
  }
  return found;
}

Result<std::vector<std::string>> SqliteReader::chunks(ValueId text_id, std::int64_t first, std::int64_t last) {
  std::vector<std::string> chunks;
  if (first <= last) chunks.reserve(static_cast<std::size_t>(std::min<std::int64_t>(last - first + 1, 64)));
  LADDER_CHECK(each_chunk(text_id, first, last, [&](std::string_view chunk) { chunks.emplace_back(chunk); }));
  return chunks;
}

// Uses all the chunks or none of them.
bool SqliteReader::use_recent(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) {
  std::array<const std::string*, kWindowChunks> found{};
  for (std::int64_t chunk = first; chunk <= last; ++chunk) {
    const std::string* const text = connection_->recent_chunks().find(*data_version_, chunk_row(text_id, chunk));
    if (!text) return false;
    found[static_cast<std::size_t>(chunk - first)] = text;
  }
  for (std::int64_t chunk = first; chunk <= last; ++chunk) use(*found[static_cast<std::size_t>(chunk - first)]);
  return true;
}

Result<std::int64_t> SqliteReader::each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) {
  LADDER_CHECK(begin());
  if (last < first) return 0;
  const bool is_window = data_version_ && last - first < kWindowChunks;
  if (is_window && use_recent(text_id, first, last, use)) return last - first + 1;
  ChunkRows chunks(*connection_, text_id, first, last);
  for (std::int64_t chunk = first;; ++chunk) {
    LADDER_TRY(const bool row, chunks.next());
    if (!row || chunks.number() != chunk) return chunk - first;
    if (!chunks.is_intact()) return std::unexpected(damaged_value(text_id));
    if (is_window) connection_->recent_chunks().keep(*data_version_, chunk_row(text_id, chunk), chunks.bytes());
    use(chunks.bytes());
  }
}

Result<std::optional<std::string>> SqliteReader::directory_page(ValueId value, std::int64_t key) {
  LADDER_CHECK(begin());
  Statement statement = connection_->use(Sql::kDirectoryPage);
  LADDER_TRY(const bool row, statement.integer(1, value).integer(2, key).step());
  if (!row) return std::nullopt;
  std::string page = statement.string_at(0);
  if (!holds(statement.maybe_integer_at(2), page_sum(value, statement.integer_at(1), page))) {
    return std::unexpected(damaged_value(value));
  }
  return page;
}

Result<StreamCounters> SqliteReader::counters(StreamNo stream) {
  LADDER_CHECK(begin());
  Statement statement = connection_->use(Sql::kCounters);
  LADDER_TRY(const bool row, statement.integer(1, stream).step());
  if (!row) return StreamCounters{};
  return StreamCounters{.records = statement.integer_at(0), .max_version = statement.integer_at(1)};
}

Result<std::vector<RecordRow>> SqliteReader::page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) {
  LADDER_CHECK(begin());
  std::vector<RecordRow> rows;
  if (!descending) {
    Statement statement = connection_->use(Sql::kPageForward);
    statement.integer(1, stream).blob(2, after).integer(3, limit);
    LADDER_CHECK(collect_page(rows, statement, stream));
    return pass(std::move(rows));
  }
  // First the records with a cursor value, in descending order, then those without one.
  const bool among_missing = after >= kMissingFrom;
  if (!among_missing) LADDER_CHECK(descend(rows, stream, after.empty() ? kMissingFrom : after, {}, limit));
  const auto left = limit - static_cast<std::int64_t>(rows.size());
  if (left > 0) LADDER_CHECK(descend(rows, stream, among_missing ? after : kAboveAll, kMissingFrom, left));
  return pass(std::move(rows));
}

Result<std::vector<RecordRow>> SqliteReader::page_by_key(StreamNo stream, std::string_view after, bool descending,
                                                         std::int64_t limit) {
  LADDER_CHECK(begin());
  Statement statement = connection_->use(descending ? Sql::kKeyPageBackward : Sql::kKeyPageForward);
  statement.integer(1, stream).blob(2, descending && after.empty() ? kAboveAll : after).integer(3, limit);
  std::vector<RecordRow> rows;
  LADDER_CHECK(collect_page(rows, statement, stream));
  return pass(std::move(rows));
}

Status SqliteReader::descend(std::vector<RecordRow>& rows, StreamNo stream, std::string_view below, std::string_view from,
                             std::int64_t limit) {
  Statement statement = connection_->use(Sql::kPageBackward);
  statement.integer(1, stream).blob(2, below).integer(3, limit).blob(4, from);
  return collect_page(rows, statement, stream);
}

Result<std::unique_ptr<Reader>> SqliteStore::read(OwnerNo owner) {
  LADDER_TRY(ReaderPool::Lease connection, readers_.take(owner));
  return std::make_unique<SqliteReader>(std::move(connection));
}

// Finds records by value: the field index, its days, and the records that refer to a blob.

namespace {

// Above every entry: the value of an entry has at most 33 bytes of 0xFF, and no order key starts with 0xFF.
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

Result<WordPage> SqliteReader::search(const WordSearch& search) {
  LADDER_CHECK(begin());
  LADDER_TRY(const CachedRanges kept, search_ranges(*connection_, search.scopes, data_version_));
  SqliteSearchRows rows(*connection_);
  LADDER_TRY(WordPage page, search_words(rows, search, kept.ranges));
  for (const WordHit& hit : page.hits) LADDER_CHECK(pass(hit.record));
  return page;
}

}  // namespace ladder::store::sqlite

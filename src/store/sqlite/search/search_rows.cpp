#include "store/sqlite/search/search_rows.h"

#include "store/sqlite/engine/record_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ladder::store::sqlite {
namespace {

using Blocks = Connection::NumberBlocks;

constexpr std::size_t kFewScopes = 16;          // read one by one; for more scopes, all blocks are cached
constexpr std::size_t kMaxCachedShared = 1024;  // texts; ranges with more are not cached
constexpr std::size_t kAboveAllBytes = 34;      // of 0xFF: an entry's value starts with at most 33, and an order key with none

// Columns of kRecordByNo that follow those of record_of.
constexpr int kKeyOfRecord = kRecordColumns, kStreamOfRecord = kRecordColumns + 1, kTextOfRecord = kRecordColumns + 2,
              kTimeOfRecord = kRecordColumns + 3;

constexpr const char* kNewestInOrder =
    "SELECT record_no FROM records INDEXED BY records_by_order "
    "WHERE owner_no = :owner AND stream_no = ?1 AND order_key >= ?2 AND order_key < ?3 ORDER BY order_key DESC LIMIT ?4";
constexpr const char* kNewestInIndex =
    "SELECT record_no FROM index_entries WHERE owner_no = :owner AND index_no = ?1 AND entry >= ?2 AND entry < ?3 ORDER BY entry "
    "DESC LIMIT ?4";

Status read_blocks(Connection& connection, std::span<const WordScope> scopes, NumberKind kind, std::vector<ScopeBlock>& blocks) {
  Statement rows = connection.use(Sql::kBlocksOfStream);
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    rows.reset();
    rows.integer(1, scopes[scope].stream).integer(2, static_cast<std::int64_t>(kind));
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      const std::int64_t first = rows.integer_at(0);
      blocks.push_back({first, first + rows.integer_at(1), static_cast<std::uint32_t>(scope)});
    }
  }
  return {};
}

Result<const Blocks*> all_blocks(Connection& connection) {
  Blocks& kept = connection.number_blocks();
  std::int64_t taken = 0;
  {
    Statement numbers = connection.use(Sql::kNumbersTaken);
    LADDER_TRY(const bool row, numbers.step());
    if (row) taken = numbers.integer_at(0);
  }
  if (kept.taken == taken) return &kept;
  Blocks fresh{taken, {}};
  Statement rows = connection.use(Sql::kAllBlocks);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    const std::int64_t first = rows.integer_at(2);
    fresh.blocks.push_back({rows.integer_at(0), rows.integer_at(1), first, first + rows.integer_at(3)});
  }
  kept = std::move(fresh);
  return &kept;
}

void pick_blocks(const Blocks& all, std::span<const WordScope> scopes, NumberKind kind, std::vector<ScopeBlock>& blocks) {
  for (std::size_t scope = 0; scope < scopes.size(); ++scope) {
    const std::pair wanted(scopes[scope].stream, static_cast<std::int64_t>(kind));
    const auto of = [](const Blocks::Block& block) { return std::pair(block.stream, block.kind); };
    for (const Blocks::Block& block : std::ranges::equal_range(all.blocks, wanted, {}, of)) {
      blocks.push_back({block.first, block.end, static_cast<std::uint32_t>(scope)});
    }
  }
}

// Steps a statement with each number as its first parameter. Collects the result of `read` for each row, or `none` if
// there is no row.
template <class Answer, class Read>
Result<std::vector<Answer>> read_each(Connection& connection, Sql sql, std::span<const std::int64_t> numbers, const Answer& none,
                                      Read read) {
  std::vector<Answer> answers;
  answers.reserve(numbers.size());
  Statement row = connection.use(sql);
  for (const std::int64_t number : numbers) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, number).step());
    answers.push_back(found ? Answer(read(row)) : none);
  }
  return answers;
}

}  // namespace

Result<CachedRanges> search_ranges(Connection& connection, std::span<const WordScope> scopes,
                                   std::optional<std::int64_t> data_version) {
  CachedRanges& kept = connection.search_ranges();
  if (kept.ranges && data_version == kept.data_version && kept.ranges->is_for(scopes)) return kept;
  kept = {};
  CachedRanges made;
  made.data_version = data_version.value_or(0);
  SqliteSearchRows rows(connection);
  LADDER_TRY(made.ranges, make_search_ranges(rows, scopes));
  if (data_version && made.ranges->shared.size() <= kMaxCachedShared) kept = made;
  return made;
}

Result<std::vector<ScopeBlock>> SqliteSearchRows::blocks(std::span<const WordScope> scopes, NumberKind kind) {
  std::vector<ScopeBlock> blocks;
  if (scopes.size() <= kFewScopes) {
    LADDER_CHECK(read_blocks(connection_, scopes, kind, blocks));
  } else {
    LADDER_TRY(const Blocks* const all, all_blocks(connection_));
    pick_blocks(*all, scopes, kind, blocks);
  }
  return blocks;
}

Result<std::int64_t> SqliteSearchRows::records_of(std::span<const StreamNo> streams) {
  std::int64_t records = 0;
  Statement row = connection_.use(Sql::kRecordsOfStream);
  for (const StreamNo stream : streams) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, stream).step());
    if (found) records += row.integer_at(0);
  }
  return records;
}

Result<std::vector<RecordNo>> SqliteSearchRows::numbers_in(const WordScope& scope, std::int64_t limit) {
  const IndexInterval& interval = *scope.interval;
  const std::string above_all(kAboveAllBytes, '\xFF');
  std::vector<RecordNo> numbers;
  Statement rows = connection_.use(interval.index == 0 ? Sql::kNumbersInOrder : Sql::kNumbersInIndex);
  rows.integer(1, interval.index == 0 ? scope.stream : interval.index).blob(2, interval.from);
  rows.blob(3, interval.to.empty() ? above_all : interval.to).integer(4, limit);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return numbers;
    numbers.push_back(rows.integer_at(0));
  }
}

Result<std::vector<RecordNo>> SqliteSearchRows::numbers_of_keys(const WordScope& scope) {
  std::vector<RecordNo> numbers;
  Statement row = connection_.use(Sql::kNumberOfKey);
  for (const std::string& key : scope.keys) {
    row.reset();
    LADDER_TRY(const bool found, row.integer(1, scope.stream).blob(2, key).step());
    if (found) numbers.push_back(row.integer_at(0));
  }
  return numbers;
}

Result<SharedTexts> SqliteSearchRows::shared_texts() {
  SharedTexts shared;
  Statement rows = connection_.use(Sql::kSharedTexts);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return shared;
    shared.emplace(rows.integer_at(0), rows.integer_at(1));
  }
}

Result<std::vector<std::pair<RecordNo, TextNo>>> SqliteSearchRows::texts_of(std::span<const RecordNo> records) {
  std::vector<std::pair<RecordNo, TextNo>> texts;
  Statement rows = connection_.use(Sql::kTextsOfRecord);
  for (const RecordNo record : records) {
    rows.reset();
    rows.integer(1, record);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      texts.emplace_back(record, rows.integer_at(0));
    }
  }
  return texts;
}

Result<std::vector<RecordNo>> SqliteSearchRows::records_of_texts(std::span<const TextNo> texts) {
  return read_each<RecordNo>(connection_, Sql::kTextRecord, texts, 0, [](const Statement& row) { return row.integer_at(0); });
}

Result<std::vector<std::optional<Instant>>> SqliteSearchRows::times(std::span<const RecordNo> records) {
  return read_each<std::optional<Instant>>(connection_, Sql::kConsentTime, records, std::nullopt,
                                           [](const Statement& row) { return row.maybe_integer_at(0); });
}

Result<std::vector<std::optional<RecordSortKey>>> SqliteSearchRows::sort_keys(std::span<const RecordNo> records) {
  return read_each<std::optional<RecordSortKey>>(
      connection_, Sql::kPlaceOfRecord, records, std::nullopt,
      [](const Statement& row) { return RecordSortKey{row.maybe_integer_at(0), row.string_at(1)}; });
}

Result<std::vector<std::optional<FoundRecord>>> SqliteSearchRows::records(std::span<const RecordNo> records) {
  return read_each<std::optional<FoundRecord>>(connection_, Sql::kRecordByNo, records, std::nullopt, [](const Statement& row) {
    return FoundRecord{record_of(row, row.integer_at(kStreamOfRecord), row.bytes_at(kKeyOfRecord)),
                       row.maybe_integer_at(kTimeOfRecord), row.integer_at(kTextOfRecord) != 0};
  });
}

Result<std::vector<std::optional<WordPassage>>> SqliteSearchRows::passages(std::span<const WordRowId> rows) {
  return read_each<std::optional<WordPassage>>(connection_, Sql::kPassage, rows, std::nullopt, [](const Statement& row) {
    return WordPassage{static_cast<int>(row.integer_at(0)), row.integer_at(1), row.integer_at(2)};
  });
}

Status SqliteSearchRows::each_newest(const WordScope& scope, std::int64_t limit, const UseNumber& use) {
  const IndexInterval& order = *scope.interval;
  const std::string above_all(kAboveAllBytes, '\xFF');
  Statement rows = connection_.prepare(order.index == 0 ? kNewestInOrder : kNewestInIndex);
  rows.integer(1, order.index == 0 ? scope.stream : order.index).blob(2, order.from);
  rows.blob(3, order.to.empty() ? above_all : order.to).integer(4, limit);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    LADDER_TRY(const bool more, use(rows.integer_at(0)));
    if (!more) return {};
  }
}

}  // namespace ladder::store::sqlite

#include "store/postgres/search/search_rows.h"

#include "store/postgres/engine/batch.h"
#include "store/postgres/engine/record_rows.h"
#include "store/search/search_ranges.h"
#include "store/search/search_words.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kAboveAllBytes = 34;  // of 0xFF: an entry's value starts with at most 33, and an order key with none
constexpr std::int64_t kFirstNewest = 1'024, kMostNewest = 16'384;  // records that each_newest() reads in one round trip
constexpr std::string_view kTimedOut = "57014";

constexpr Statement kSegments{kSegmentsSql};
constexpr Statement kBlocksAt{kBlocksAtSql};
constexpr Statement kBlocksAfter{kBlocksAfterSql};
constexpr Statement kBlocksFrom{kBlocksFromSql};
constexpr std::int64_t kReadAhead = 8, kMaxReadAhead = 64;  // blocks that are read together
constexpr Statement kNumberBlocks{
    "SELECT b.stream_no, b.first_no, b.size FROM number_blocks b WHERE b.owner_no = :owner AND b.stream_no = ANY ($1::bigint[]) "
    "AND b.kind = $2::bigint"};
constexpr Statement kNumbersInOrder{
    "SELECT record_no FROM records WHERE owner_no = :owner AND stream_no = $1::bigint AND order_key >= $2::bytea AND order_key < "
    "$3::bytea"
    " LIMIT $4::bigint"};
constexpr Statement kNumbersInIndex{
    "SELECT record_no FROM index_entries WHERE owner_no = :owner AND index_no = $1::bigint AND entry >= $2::bytea AND entry < "
    "$3::bytea"
    " LIMIT $4::bigint"};
constexpr Statement kNumbersOfKeys{R"(
  SELECT r.record_no FROM unnest($2::bytea[]) AS w(key),
    LATERAL (SELECT record_no FROM records WHERE owner_no = :owner AND stream_no = $1::bigint AND key = w.key OFFSET 0) AS r)"};
constexpr Statement kSharedTexts{"SELECT text_no, record_no FROM texts WHERE owner_no = :owner AND shared > 0 AND record_no > 0"};
constexpr Statement kTextsOfRecords{R"(
  SELECT w.record_no, t.text_no FROM unnest($1::bigint[]) AS w(record_no),
    LATERAL (SELECT text_no FROM texts WHERE owner_no = :owner AND record_no = w.record_no AND record_no > 0 OFFSET 0) AS t)"};
constexpr Statement kRecordsOfTexts{R"(
  SELECT w.at, t.record_no FROM unnest($1::bigint[]) WITH ORDINALITY AS w(text_no, at),
    LATERAL (SELECT record_no FROM texts WHERE owner_no = :owner AND text_no = w.text_no OFFSET 0) AS t)"};
constexpr Statement kTimes{R"(
  SELECT w.at, r.consent_time FROM unnest($1::bigint[]) WITH ORDINALITY AS w(record_no, at),
    LATERAL (SELECT consent_time FROM records WHERE owner_no = :owner AND record_no = w.record_no OFFSET 0) AS r)"};
constexpr Statement kPlaces{R"(
  SELECT w.at, r.consent_time, r.key FROM unnest($1::bigint[]) WITH ORDINALITY AS w(record_no, at),
    LATERAL (SELECT consent_time, key FROM records WHERE owner_no = :owner AND record_no = w.record_no OFFSET 0) AS r)"};
constexpr Statement kRecords{
    "SELECT w.at, " LADDER_PG_RECORD_COLUMNS
    ", r.key, r.text_no FROM unnest($1::bigint[]) WITH ORDINALITY AS w(record_no, at),"
    " LATERAL (SELECT * FROM records WHERE owner_no = :owner AND record_no = w.record_no OFFSET 0) AS r"};
constexpr int kTimeOfRecord = 8;  // of the record columns
constexpr Statement kPassages{R"(
  SELECT w.at, p.column_no, p.start_char, p.end_char FROM unnest($1::bigint[]) WITH ORDINALITY AS w(row_id, at),
    LATERAL (SELECT column_no, start_char, end_char FROM passages WHERE owner_no = :owner AND row_id = w.row_id OFFSET 0) AS p)"};
constexpr Statement kNewestInOrder{
    "SELECT record_no, order_key, consent_time FROM records"
    " WHERE owner_no = :owner AND stream_no = $1::bigint AND order_key >= $2::bytea AND order_key < $3::bytea ORDER BY order_key "
    "DESC LIMIT "
    "$4::bigint"};
constexpr Statement kNewestInIndex{R"(
  SELECT i.record_no, i.entry, r.consent_time
  FROM (SELECT record_no, entry FROM index_entries WHERE owner_no = :owner AND index_no = $1::bigint AND entry >= $2::bytea AND entry < $3::bytea
        ORDER BY entry DESC LIMIT $4::bigint) AS i,
       LATERAL (SELECT consent_time FROM records WHERE owner_no = :owner AND record_no = i.record_no OFFSET 0) AS r
  ORDER BY i.entry DESC)"};

constexpr Statement kEndView{"COMMIT"};
constexpr Statement kSetTimeout{"SELECT set_config('statement_timeout', ($1::bigint)::text, true)"};
// Every write of a record, and every step of building the index, changes its stream's row and its xmin.
constexpr Statement kStreamStats{
    "SELECT stream_no, record_count, max_version, word_generation, xmin FROM streams WHERE owner_no = :owner AND stream_no = ANY "
    "($1::bigint[])"};

Int8Array array_of(std::span<const std::int64_t> numbers) {
  Int8Array array;
  for (const std::int64_t number : numbers) array.add(number);
  return array;
}

// Returns one result for each number, from rows that start with the position of the number, from 1.
template <class Answer, class Read>
Result<std::vector<Answer>> read_each(Connection& connection, const Statement& statement, std::span<const std::int64_t> numbers,
                                      Read read) {
  std::vector<Answer> answers(numbers.size());
  if (numbers.empty()) return answers;
  LADDER_TRY(const Rows rows, connection.run_last(statement, array_of(numbers)));
  for (int row = 0; row < rows.size(); ++row) answers[static_cast<std::size_t>(rows.int8(row, 0) - 1)] = read(rows, row);
  return answers;
}

std::vector<StreamStats> read_stats(const Rows& rows) {
  std::vector<StreamStats> stats;
  stats.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    stats.push_back({.no = rows.int8(row, 0),
                     .records = rows.int8(row, 1),
                     .max_version = rows.int8(row, 2),
                     .word_generation = rows.int8(row, 3),
                     .written_by = get_big_endian<std::uint32_t>(rows.bytes(row, 4).data())});
  }
  std::ranges::sort(stats, {}, &StreamStats::no);
  return stats;
}

std::string upper_bound(const IndexInterval& interval) {
  return interval.to.empty() ? std::string(kAboveAllBytes, '\xFF') : interval.to;
}

}  // namespace

// --- blocks ---

PostingReader::PostingReader(Connection& connection, BlockCache& cache, OwnerNo owner, const Rows& segments)
    : connection_(connection), cache_(cache), owner_(owner), segments_(read_segments(segments)) {
  for (int row = 0; row < segments.size(); ++row) versions_.emplace(segments.int8(row, 0), segments.int8(row, 5));
}

Result<std::vector<BlockPtr>> PostingReader::blocks_at(std::span<const BlockPosition> places) {
  std::vector<BlockPtr> blocks(places.size());
  std::vector<BlockPosition> missing;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (auto known = cache_.find(versions_.at(places[i].segment), places[i].key)) {
      blocks[i] = *std::move(known);
    } else {
      missing.push_back(places[i]);
      at.push_back(i);
    }
  }
  if (missing.size() == 1) {  // the caller is reading through a list
    LADDER_TRY(const auto found, read_blocks(kBlocksFrom, missing.front(), kReadAhead));
    if (!found.empty()) blocks[at.front()] = found.front();
  } else if (!missing.empty()) {
    LADDER_TRY(const auto found, read_many(missing));
    for (std::size_t i = 0; i < found.size(); ++i) blocks[at[i]] = found[i];
  }
  return blocks;
}

Result<std::vector<BlockPtr>> PostingReader::blocks_after(const BlockPosition& place, std::int64_t limit) {
  bool ended = false;
  std::vector<BlockPtr> known = cache_.next(versions_.at(place.segment), place.key, static_cast<std::size_t>(limit), ended);
  if (ended || !known.empty()) return known;
  LADDER_TRY(std::vector<BlockPtr> blocks, read_blocks(kBlocksAfter, place, std::clamp(limit * 4, kReadAhead, kMaxReadAhead)));
  cache_.join(versions_.at(place.segment), place.key, blocks.empty() ? std::string() : blocks.front()->key);
  if (std::ssize(blocks) > limit) blocks.resize(static_cast<std::size_t>(limit));
  return blocks;
}

// Reads consecutive blocks.
Result<std::vector<BlockPtr>> PostingReader::read_blocks(const Statement& statement, const BlockPosition& place,
                                                         std::int64_t limit) {
  LADDER_TRY(const Rows rows, connection_.run_last(statement, owner_, place.segment, place.key, limit));
  std::vector<BlockPtr> blocks;
  for (int row = 0; row < rows.size(); ++row) {
    LADDER_TRY(BlockPtr block, read_block(owner_, place.segment, rows, row, 0));
    blocks.push_back(std::move(block));
  }
  const SegmentVersion version = versions_.at(place.segment);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::optional<std::string> next;
    if (i + 1 < blocks.size()) next = blocks[i + 1]->key;
    else if (std::ssize(blocks) < limit) next = "";
    cache_.keep(version, {blocks[i], std::move(next)});
  }
  return blocks;
}

Result<std::vector<BlockPtr>> PostingReader::read_many(std::span<const BlockPosition> places) {
  Int8Array segments;
  ByteaArray keys;
  for (const auto& [segment, key] : places) {
    segments.add(segment);
    keys.add(key);
  }
  LADDER_TRY(const Rows rows, connection_.run_last(kBlocksAt, owner_, segments, keys));
  LADDER_TRY(std::vector<BlockPtr> blocks, read_blocks_at(owner_, places, rows));
  for (int row = 0; row < rows.size(); ++row) {
    const auto at = static_cast<std::size_t>(rows.int8(row, 0) - 1);
    if (!rows.is_null(row, 1) && rows.is_null(row, 2)) continue;  // the block of the previous place
    cache_.keep(versions_.at(places[at].segment), {blocks[at], rows.text(row, 4)});
  }
  return blocks;
}

// --- rows ---

Result<std::vector<ScopeBlock>> PostgresSearchRows::blocks(std::span<const WordScope> scopes, NumberKind kind) {
  Int8Array streams;
  std::unordered_map<StreamNo, std::uint32_t> scope_of;
  for (std::uint32_t scope = 0; scope < scopes.size(); ++scope) {
    streams.add(scopes[scope].stream);
    scope_of.emplace(scopes[scope].stream, scope);
  }
  LADDER_TRY(const Rows rows, connection_.run_last(kNumberBlocks, streams, static_cast<std::int64_t>(kind)));
  std::vector<ScopeBlock> blocks;
  blocks.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    blocks.push_back({rows.int8(row, 1), rows.int8(row, 1) + rows.int8(row, 2), scope_of.at(rows.int8(row, 0))});
  }
  return blocks;
}

Result<std::int64_t> PostgresSearchRows::records_of(std::span<const StreamNo> streams) {
  std::int64_t records = 0;
  for (const StreamNo stream : streams) {
    const auto found = std::ranges::lower_bound(stats_, stream, {}, &StreamStats::no);
    if (found != stats_.end() && found->no == stream) records += found->records;
  }
  return records;
}

Result<std::vector<RecordNo>> PostgresSearchRows::numbers_in(const WordScope& scope, std::int64_t limit) {
  const IndexInterval& interval = *scope.interval;
  LADDER_TRY(const Rows rows, connection_.run_last(interval.index == 0 ? kNumbersInOrder : kNumbersInIndex,
                                                   interval.index == 0 ? scope.stream : interval.index, interval.from,
                                                   upper_bound(interval), limit));
  std::vector<RecordNo> numbers;
  numbers.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) numbers.push_back(rows.int8(row, 0));
  return numbers;
}

Result<std::vector<RecordNo>> PostgresSearchRows::numbers_of_keys(const WordScope& scope) {
  ByteaArray keys;
  for (const std::string& key : scope.keys) keys.add(key);
  LADDER_TRY(const Rows rows, connection_.run_last(kNumbersOfKeys, scope.stream, keys));
  std::vector<RecordNo> numbers;
  numbers.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) numbers.push_back(rows.int8(row, 0));
  return numbers;
}

Result<SharedTexts> PostgresSearchRows::shared_texts() {
  LADDER_TRY(const Rows rows, connection_.run_last(kSharedTexts));
  SharedTexts shared;
  for (int row = 0; row < rows.size(); ++row) shared.emplace(rows.int8(row, 0), rows.int8(row, 1));
  return shared;
}

Result<std::vector<std::pair<RecordNo, TextNo>>> PostgresSearchRows::texts_of(std::span<const RecordNo> records) {
  LADDER_TRY(const Rows rows, connection_.run_last(kTextsOfRecords, array_of(records)));
  std::vector<std::pair<RecordNo, TextNo>> texts;
  texts.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) texts.emplace_back(rows.int8(row, 0), rows.int8(row, 1));
  return texts;
}

Result<std::vector<RecordNo>> PostgresSearchRows::records_of_texts(std::span<const TextNo> texts) {
  return read_each<RecordNo>(connection_, kRecordsOfTexts, texts, [](const Rows& rows, int row) { return rows.int8(row, 1); });
}

Result<std::vector<std::optional<Instant>>> PostgresSearchRows::times(std::span<const RecordNo> records) {
  if (const auto known = records.size() == 1 ? times_.find(records.front()) : times_.end(); known != times_.end()) {
    return std::vector{known->second};
  }
  return read_each<std::optional<Instant>>(connection_, kTimes, records,
                                           [](const Rows& rows, int row) { return rows.maybe_int8(row, 1); });
}

Result<std::vector<std::optional<RecordSortKey>>> PostgresSearchRows::sort_keys(std::span<const RecordNo> records) {
  return read_each<std::optional<RecordSortKey>>(connection_, kPlaces, records, [](const Rows& rows, int row) {
    return RecordSortKey{rows.maybe_int8(row, 1), rows.text(row, 2)};
  });
}

Result<std::vector<std::optional<FoundRecord>>> PostgresSearchRows::records(std::span<const RecordNo> records) {
  return read_each<std::optional<FoundRecord>>(connection_, kRecords, records, [](const Rows& rows, int row) {
    return FoundRecord{read_record(rows, row, 1, rows.bytes(row, 1 + kRecordColumns)), rows.maybe_int8(row, 1 + kTimeOfRecord),
                       rows.int8(row, 2 + kRecordColumns) != 0};
  });
}

Result<std::vector<std::optional<WordPassage>>> PostgresSearchRows::passages(std::span<const WordRowId> rows) {
  return read_each<std::optional<WordPassage>>(connection_, kPassages, rows, [](const Rows& found, int row) {
    return WordPassage{static_cast<int>(found.int8(row, 1)), found.int8(row, 2), found.int8(row, 3)};
  });
}

Status PostgresSearchRows::each_newest(const WordScope& scope, std::int64_t limit, const UseNumber& use) {
  const IndexInterval& order = *scope.interval;
  std::string below = upper_bound(order);
  for (std::int64_t at_once = kFirstNewest; limit > 0; limit -= at_once, at_once = std::min(at_once * 2, kMostNewest)) {
    at_once = std::min(at_once, limit);
    LADDER_TRY(const Rows rows, connection_.run_last(order.index == 0 ? kNewestInOrder : kNewestInIndex,
                                                     order.index == 0 ? scope.stream : order.index, order.from, below, at_once));
    times_.clear();
    for (int row = 0; row < rows.size(); ++row) times_.emplace(rows.int8(row, 0), rows.maybe_int8(row, 2));
    for (int row = 0; row < rows.size(); ++row) {
      LADDER_TRY(const bool more, use(rows.int8(row, 0)));
      if (!more) return {};
    }
    if (rows.size() < at_once) return {};
    below = rows.text(rows.size() - 1, 1);
  }
  return {};
}

// --- a search ---

namespace {

class Search {
 public:
  Search(Connection& connection, StreamCache& known, BlockCache& blocks, const WordSearch& search)
      : connection_(connection), known_(known), blocks_(blocks), search_(search) {}

  Result<WordPage> run() {
    const OwnerNo owner = connection_.owner();
    std::vector<StreamNo> streams;
    streams.reserve(search_.scopes.size());
    for (const WordScope& scope : search_.scopes) streams.push_back(scope.stream);
    Batch opening(connection_);
    connection_.begin_snapshot();
    opening.ask(kSetTimeout, std::max<std::int64_t>(1, std::min(search_.deadline.left(), kStatementTimeout).count()));
    const Answer rows_of_streams = opening.ask(kStreamStats, array_of(streams));
    const Answer segments = opening.ask(kSegments, owner);
    LADDER_CHECK(opening.run());
    const std::vector<StreamStats> stats = read_stats(rows_of_streams.rows());
    PostingReader postings(connection_, blocks_, owner, segments.rows());
    PostgresSearchRows rows(connection_, postings, stats);
    auto ranges = known_.ranges(search_.scopes, stats);
    if (!ranges) {
      LADDER_TRY(ranges, make_search_ranges(rows, search_.scopes));
      known_.keep_ranges(stats, ranges);
    }
    LADDER_TRY(WordPage page, store::search_words(rows, search_, std::move(ranges)));
    LADDER_TRY(const Rows ended, connection_.run_last(kEndView));
    return page;
  }

 private:
  Connection& connection_;
  StreamCache& known_;
  BlockCache& blocks_;
  const WordSearch& search_;
};

}  // namespace

Result<WordPage> search_words(Pool& pool, OwnerNo owner, StreamCache& known, BlockCache& blocks, const WordSearch& search) {
  return pool.read(owner, [&](Connection& connection) -> Result<WordPage> {
    auto page = Search(connection, known, blocks, search).run();
    if (!page && connection.sqlstate() == kTimedOut && search.deadline.passed()) {
      return fail(Code::kDeadline, "the search took too long: ask for fewer streams, or for words that are less common");
    }
    return page;
  });
}

}  // namespace ladder::store::postgres

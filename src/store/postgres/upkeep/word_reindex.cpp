#include "store/postgres/upkeep/word_reindex.h"

#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"
#include "store/postgres/upkeep/text_copy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRecordsAtOnce = 200;
constexpr std::size_t kRewrittenBytes = 64 * 1024;  // of the records of one transaction

constexpr Statement kFindStale{"SELECT owner_no, stream_no FROM streams WHERE words_upto IS NOT NULL ORDER BY stream_no LIMIT 1"};
constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kLockStream{R"(
  SELECT words_upto, word_generation, words_set, words_set_version, (SELECT m.value FROM meta m WHERE m.key = 'words_version'),
         next_text, text_end
  FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint AND words_upto IS NOT NULL FOR NO KEY UPDATE)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};
constexpr Statement kNextRecords{"SELECT " LADDER_PG_WORD_INDEX_COLUMNS
                                 " FROM records WHERE owner_no = :owner AND stream_no = $1::bigint"
                                 " AND key > (SELECT words_upto FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint) "
                                 "ORDER BY key LIMIT $2::bigint"};
constexpr Statement kTakeValueIds{
    "UPDATE counters SET next = next + $1::bigint WHERE owner_no = :owner AND name = 'value_id' RETURNING next - $1::bigint"};
// Adds a set without values for the old texts of a record that keeps its long values. The sweep removes it.
constexpr Statement kAddDead{
    "INSERT INTO loose_values (owner_no, first_value, value_count, state, touched_at, uses)"
    " SELECT :owner, unnest($1::bigint[]), 0, 1, 0, unnest($2::bigint[])"};

constexpr Statement kSetUpto{"UPDATE streams SET words_upto = $2::bytea WHERE owner_no = :owner AND stream_no = $1::bigint"};
constexpr Statement kColumnsAreReady{
    "UPDATE word_columns SET state = 0 WHERE owner_no = :owner AND stream_no = $1::bigint AND state = 1"};
constexpr Statement kColumnsAreEmpty{"DELETE FROM word_columns WHERE owner_no = :owner AND stream_no = $1::bigint AND state = 2"};
constexpr Statement kStreamIsDone{"UPDATE streams SET words_upto = NULL WHERE owner_no = :owner AND stream_no = $1::bigint"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

// The records of one step that are rewritten in the step's transaction.
class Rewrite {
 public:
  Rewrite(Connection& connection, StreamNo stream, const StreamWords& words, UnusedNumbers numbers)
      : connection_(connection), words_(words), texts_(connection, stream, numbers), rows_(words.owner) {}

  void add(WordIndexRecord&& record) {
    bytes_ += record.body.size();
    records_.push_back(std::move(record));
  }
  bool is_full() const { return bytes_ >= kRewrittenBytes; }

  // Takes the last lock of the transaction.
  Status write() {
    if (records_.empty()) return {};
    LADDER_TRY(ValueId next, take_value_ids());
    WordWriter writer(rows_, words_, texts_);
    Int8Array numbers, texts, dead, uses;
    for (const WordIndexRecord& record : records_) {
      const ValueId set = keeps_values(record) ? next++ : 0;
      if (set != 0) {
        dead.add(set);
        uses.add(record.first_value);
      }
      LADDER_CHECK(writer.retire(record.source(), record.state(), set));
      LADDER_TRY(const WordState state, writer.add(record.source(), nullptr, {}));
      numbers.add(record.no);
      texts.add(state.text);
    }
    if (!dead.empty()) connection_.add(kAddDead, dead, uses);
    texts_.queue_update();
    queue_text_numbers(connection_, numbers, texts, words_.mask);
    return rows_.write(connection_);
  }

 private:
  // Such a record's old text may be long.
  static bool keeps_values(const WordIndexRecord& record) { return record.text != 0 && record.value_count > 0; }

  Result<ValueId> take_value_ids() {
    const std::int64_t count = std::ranges::count_if(records_, keeps_values);
    if (count == 0) return 0;
    LADDER_TRY(const Rows ids, connection_.run_last(kTakeValueIds, count));
    return ids.int8(0, 0);
  }

  Connection& connection_;
  const StreamWords& words_;
  TextNumbers texts_;
  WordRows rows_;
  std::vector<WordIndexRecord> records_;
  std::size_t bytes_ = 0;
};

struct Step {
  StreamWords words;
  std::optional<WordIndexRecord> long_record;  // the next record, which has long texts and must be copied
  ValueId copy_set = 0;                        // the set of its copy, if one was started
};

// Rewrites the next records, up to one with long texts. Returns nullopt when there is nothing left to do.
Result<std::optional<Step>> rewrite_next(Connection& connection, const StaleStream& at) {
  connection.begin();
  connection.add(kLockOwner, at.owner);
  connection.add(kLockStream, at.stream);
  connection.add(kFindWordColumns, at.stream);
  connection.add(kNextRecords, at.stream, kRecordsAtOnce);
  LADDER_TRY(const auto found, connection.run());
  const Rows &stream = found[1], &records = found[3];
  if (stream.empty()) {  // another program has finished it
    LADDER_CHECK(connection.rollback());
    return std::nullopt;
  }
  LADDER_CHECK(check_words_version(stream.bytes(0, 4)));
  Step step{.words = read_stream_words(at.owner, stream.int8(0, 1), found[2]), .long_record = {}};
  Rewrite rewrite(connection, at.stream, step.words, {stream.int8(0, 5), stream.int8(0, 6)});
  std::string upto = stream.text(0, 0);
  int row = 0;
  for (; row < records.size() && !rewrite.is_full(); ++row) {
    WordIndexRecord record(records, row);
    std::string key = record.key;
    if (record.mask != step.words.mask) {
      if (has_long(step.words.texts(record.body, step.words.mask))) {
        if (stream.int8(0, 3) == record.version) step.copy_set = stream.int8(0, 2);
        step.long_record = std::move(record);
        break;
      }
      rewrite.add(std::move(record));
    }
    upto = std::move(key);
  }
  if (row == records.size() && records.size() < kRecordsAtOnce) {
    connection.add(kColumnsAreReady, at.stream);
    connection.add(kColumnsAreEmpty, at.stream);
    connection.add(kStreamIsDone, at.stream);
    connection.add(kRaiseCatalogVersion, at.owner);
  } else {
    connection.add(kSetUpto, at.stream, upto);
  }
  LADDER_CHECK(rewrite.write());
  LADDER_TRY(const auto written, connection.commit());
  return step;
}

}  // namespace

Result<std::optional<StaleStream>> find_stale_stream(Connection& connection) {
  LADDER_TRY(const Rows rows, connection.run_one(kFindStale));
  if (rows.empty()) return std::nullopt;
  return StaleStream{rows.int8(0, 0), rows.int8(0, 1)};
}

Result<bool> reindex_words(Pool& pool, const StaleStream& at, const std::function<Result<ValueId>()>& new_value,
                           Deadline deadline) {
  LADDER_TRY(const auto step, pool.run(at.owner, [&](Connection& connection) { return rewrite_next(connection, at); }));
  if (!step || !step->long_record) return true;
  TextCopy copy(pool, at.stream, step->words, *step->long_record);
  if (step->copy_set != 0) {
    LADDER_TRY(const TextCopy::ResumeResult resumed, copy.resume(step->copy_set));
    if (resumed == TextCopy::ResumeResult::kBusy) return false;
    if (resumed == TextCopy::ResumeResult::kYes) {
      LADDER_CHECK(copy.run(deadline));
      return true;
    }
  }
  LADDER_TRY(const ValueId set, new_value());
  LADDER_TRY(const bool begun, copy.begin(set));
  if (begun) LADDER_CHECK(copy.run(deadline));
  return true;
}

}  // namespace ladder::store::postgres

#include "store/postgres/upkeep/word_reindex.h"

#include "store/postgres/search/text_copy.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRecordsAtOnce = 200;
constexpr std::chrono::milliseconds kTokenizing{15};  // of one transaction

constexpr Statement kFindToDo{R"(
  SELECT c.owner_no, s.stream_no FROM streams s JOIN connections c ON c.connection_no = s.connection_no
  WHERE s.words_upto IS NOT NULL ORDER BY s.stream_no LIMIT 1)"};
constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kLockStream{R"(
  SELECT words_upto, word_generation, words_text, words_text_version, (SELECT m.value FROM meta m WHERE m.key = 'words_version')
  FROM streams WHERE stream_no = $1::bigint AND words_upto IS NOT NULL FOR NO KEY UPDATE)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};
constexpr Statement kNextRecords{
    "SELECT " LADDER_PG_WORDED
    " FROM records WHERE stream_no = $1::bigint"
    " AND key > (SELECT words_upto FROM streams WHERE stream_no = $1::bigint) ORDER BY key LIMIT $2::bigint"};
constexpr Statement kTakeValueIds{
    "UPDATE counters SET next = next + $1::bigint WHERE name = 'value_id' RETURNING next - $1::bigint"};
// A text whose record keeps its long values: a set of no values, for the sweep.
constexpr Statement kAddDead{
    "INSERT INTO loose_values (first_value, value_count, state, touched_at, text_no)"
    " SELECT unnest($1::bigint[]), 0, 1, 0, unnest($2::bigint[])"};

constexpr Statement kSetUpto{"UPDATE streams SET words_upto = $2::bytea WHERE stream_no = $1::bigint"};
constexpr Statement kColumnsAreReady{"UPDATE word_columns SET state = 0 WHERE stream_no = $1::bigint AND state = 1"};
constexpr Statement kColumnsAreEmpty{"DELETE FROM word_columns WHERE stream_no = $1::bigint AND state = 2"};
constexpr Statement kStreamIsDone{"UPDATE streams SET words_upto = NULL WHERE stream_no = $1::bigint"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

// The records of one step that are rewritten in its own transaction.
class Rewrite {
 public:
  Rewrite(StreamNo stream, const WordLayout& layout) : layout_(layout), rows_(stream) {}

  Status add(WordedRecord&& record) {
    LADDER_TRY(RecordWords words, words_of_record(layout_, record.body, nullptr));
    if (words.several) ++ids_;
    if (keeps_values(record)) ++ids_;
    word_bytes_ += words.vector.size();
    made_.push_back({std::move(record), std::move(words)});
    return {};
  }

  std::size_t word_bytes() const { return word_bytes_; }

  Status queue(Connection& connection) {
    if (made_.empty()) return {};
    ValueId next = 0;
    if (ids_ > 0) {
      LADDER_TRY(const Rows ids, connection.run_last(kTakeValueIds, ids_));
      next = ids.int8(0, 0);
    }
    Int8Array numbers, texts, dead, dead_texts;
    for (auto& [record, words] : made_) {
      if (record.text == 0) rows_.drop_single(record.no);
      else rows_.drop_text(record.text, !keeps_values(record));
      if (keeps_values(record)) {
        dead.add(next++);
        dead_texts.add(record.text);
      }
      const TextNo text = words.several ? next++ : 0;
      if (words.several) rows_.add_text(text, record.no, words.passages);
      else if (!words.vector.empty()) rows_.add_single(record.no, word_place(record.consent_time), record.key, words.vector);
      numbers.add(record.no);
      texts.add(text);
    }
    rows_.queue(connection);
    if (!dead.empty()) connection.add(kAddDead, dead, dead_texts);
    queue_text_numbers(connection, numbers, texts, layout_.mask());
    return {};
  }

 private:
  // Its old text may be long.
  static bool keeps_values(const WordedRecord& record) { return record.text != 0 && record.value_count > 0; }

  const WordLayout& layout_;
  WordRows rows_;
  std::vector<std::pair<WordedRecord, RecordWords>> made_;
  std::int64_t ids_ = 0;
  std::size_t word_bytes_ = 0;
};

struct Step {
  WordLayout layout;
  std::optional<WordedRecord> long_one;  // the next record has long texts: it is to be copied
  TextNo begun = 0;                      // its copy, if that has been begun
  std::size_t word_bytes = 0;            // of the word vectors that were written
};

// The next records up to one with long texts. Nothing is left to do where there are none.
Result<std::optional<Step>> short_step(Connection& connection, const WordsToDo& at) {
  connection.begin();
  connection.add(kLockOwner, at.owner);
  connection.add(kLockStream, at.stream);
  connection.add(kFindWordColumns, at.stream);
  connection.add(kNextRecords, at.stream, kRecordsAtOnce);
  LADDER_TRY(const auto found, connection.run());
  const Rows &stream = found[1], &records = found[3];
  if (stream.empty()) {  // others have done it
    LADDER_CHECK(connection.rollback());
    return std::nullopt;
  }
  LADDER_CHECK(check_words_version(stream.bytes(0, 4)));
  Step step{.layout = {.owner = at.owner, .generation = stream.int8(0, 1), .columns = read_word_columns(found[2])},
            .long_one = {}};
  Rewrite rewrite(at.stream, step.layout);
  const Deadline enough = Deadline::after(kTokenizing);
  std::string upto = stream.text(0, 0);
  int row = 0;
  for (; row < records.size() && !enough.passed(); ++row) {
    WordedRecord record(records, row);
    std::string key = record.key;
    if (record.mask != step.layout.mask()) {
      if (has_long_text(step.layout, record.body)) {
        if (stream.int8(0, 3) == record.version) step.begun = stream.int8(0, 2);
        step.long_one = std::move(record);
        break;
      }
      LADDER_CHECK(rewrite.add(std::move(record)));
    }
    upto = std::move(key);
  }
  LADDER_CHECK(rewrite.queue(connection));
  if (row == records.size() && records.size() < kRecordsAtOnce) {
    connection.add(kColumnsAreReady, at.stream);
    connection.add(kColumnsAreEmpty, at.stream);
    connection.add(kStreamIsDone, at.stream);
    connection.add(kRaiseCatalogVersion, at.owner);
  } else {
    connection.add(kSetUpto, at.stream, upto);
  }
  LADDER_TRY(const auto written, connection.commit());
  step.word_bytes = rewrite.word_bytes();
  return step;
}

}  // namespace

Result<std::optional<WordsToDo>> find_words_to_do(Connection& connection) {
  LADDER_TRY(const Rows rows, connection.run_one(kFindToDo));
  if (rows.empty()) return std::nullopt;
  return WordsToDo{rows.int8(0, 0), rows.int8(0, 1)};
}

Result<bool> reindex_words(Pool& pool, NewWords& new_words, const WordsToDo& at,
                           const std::function<Result<ValueId>()>& new_value, Deadline deadline) {
  LADDER_TRY(const auto step, pool.run([&](Connection& connection) { return short_step(connection, at); }));
  if (step) new_words.add(pool, step->word_bytes);
  if (!step || !step->long_one) return true;
  TextCopy copy(pool, new_words, at.stream, step->layout, *step->long_one);
  if (step->begun != 0) {
    LADDER_TRY(const TextCopy::Resumed resumed, copy.resume(step->begun));
    if (resumed == TextCopy::Resumed::kBusy) return false;
    if (resumed == TextCopy::Resumed::kYes) {
      LADDER_CHECK(copy.go_on(deadline));
      return true;
    }
  }
  LADDER_TRY(const TextNo text, new_value());
  LADDER_TRY(const bool begun, copy.begin(text));
  if (begun) LADDER_CHECK(copy.go_on(deadline));
  return true;
}

}  // namespace ladder::store::postgres

#include "store/postgres/word_reindex.h"

#include "store/postgres/read_statements.h"
#include "store/postgres/staging.h"
#include "store/postgres/word_columns.h"
#include "store/postgres/word_rows.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRecordsAtOnce = 200;
constexpr std::int64_t kChunksAtOnce = 64;
constexpr std::chrono::milliseconds kTokenizing{15};  // of one transaction

constexpr Statement kFindToDo{R"(
  SELECT c.owner_no, s.stream_no FROM streams s JOIN connections c ON c.connection_no = s.connection_no
  WHERE s.words_upto IS NOT NULL ORDER BY s.stream_no LIMIT 1)"};
constexpr Statement kLockOwner{"SELECT owner_no FROM owners WHERE owner_no = $1::bigint FOR NO KEY UPDATE"};
constexpr Statement kLockStream{R"(
  SELECT words_upto, word_generation, (SELECT m.value FROM meta m WHERE m.key = 'words_version')
  FROM streams WHERE stream_no = $1::bigint AND words_upto IS NOT NULL FOR NO KEY UPDATE)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};
#define LADDER_PG_WORDED "record_no, key, consent_time, version, first_value, value_count, text_no, word_mask, body"
constexpr Statement kNextRecords{"SELECT " LADDER_PG_WORDED
                                 " FROM records WHERE stream_no = $1::bigint"
                                 " AND key > (SELECT words_upto FROM streams WHERE stream_no = $1::bigint) ORDER BY key LIMIT $2::bigint"};
constexpr Statement kOneRecord{"SELECT " LADDER_PG_WORDED " FROM records WHERE record_no = $1::bigint"};
constexpr Statement kSelectChunks{kSelectChunksSql};

constexpr Statement kSetRecords{R"(
  UPDATE records r SET text_no = w.text_no, word_mask = $3::bigint
  FROM (SELECT unnest($1::bigint[]) AS record_no, unnest($2::bigint[]) AS text_no) AS w WHERE r.record_no = w.record_no)"};
constexpr Statement kTakeValueIds{
    "UPDATE counters SET next = next + $1::bigint WHERE name = 'value_id' RETURNING next - $1::bigint"};
// A text whose record keeps its long values: a set of no values, for the sweep.
constexpr Statement kAddDead{
    "INSERT INTO loose_values (first_value, value_count, state, touched_at, text_no)"
    " SELECT unnest($1::bigint[]), 0, 1, 0, unnest($2::bigint[])"};
constexpr Statement kGiveLeaseToOldText{
    "UPDATE loose_values SET state = 1, text_no = $2::bigint WHERE first_value = $1::bigint"};
constexpr Statement kEndLease{"DELETE FROM loose_values WHERE first_value = $1::bigint"};
constexpr Statement kGiveUpLease{"UPDATE loose_values SET state = 1 WHERE first_value = $1::bigint"};

constexpr Statement kSetUpto{"UPDATE streams SET words_upto = $2::bytea WHERE stream_no = $1::bigint"};
constexpr Statement kColumnsAreReady{"UPDATE word_columns SET state = 0 WHERE stream_no = $1::bigint AND state = 1"};
constexpr Statement kColumnsAreEmpty{"DELETE FROM word_columns WHERE stream_no = $1::bigint AND state = 2"};
constexpr Statement kStreamIsDone{"UPDATE streams SET words_upto = NULL WHERE stream_no = $1::bigint"};
constexpr Statement kRaiseCatalogVersion{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

struct WordedRecord {
  RecordNo no = 0;
  std::string key;
  std::optional<Instant> consent_time;
  std::int64_t version = 0;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  TextNo text = 0;
  WordColumns mask = 0;
  std::string body;

  WordedRecord(const Rows& rows, int row)
      : no(rows.int8(row, 0)),
        key(rows.text(row, 1)),
        consent_time(rows.maybe_int8(row, 2)),
        version(rows.int8(row, 3)),
        first_value(rows.int8(row, 4)),
        value_count(rows.int8(row, 5)),
        text(rows.int8(row, 6)),
        mask(static_cast<WordColumns>(rows.int8(row, 7))),
        body(rows.text(row, 8)) {}
};

// The records of one step that are rewritten in its own transaction.
class Rewrite {
 public:
  Rewrite(StreamNo stream, const WordLayout& layout) : layout_(layout), rows_(stream) {}

  Status add(WordedRecord&& record) {
    LADDER_TRY(RecordWords words, words_of_record(layout_, record.body, nullptr));
    if (words.several) ++ids_;
    if (keeps_values(record)) ++ids_;
    made_.push_back({std::move(record), std::move(words)});
    return {};
  }

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
    connection.add(kSetRecords, numbers, texts, static_cast<std::int64_t>(layout_.mask()));
    return {};
  }

 private:
  // Its old text may be long.
  static bool keeps_values(const WordedRecord& record) { return record.text != 0 && record.value_count > 0; }

  const WordLayout& layout_;
  WordRows rows_;
  std::vector<std::pair<WordedRecord, RecordWords>> made_;
  std::int64_t ids_ = 0;
};

struct Step {
  WordLayout layout;
  std::optional<WordedRecord> long_one;  // the next record has long texts: it is to be staged
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
  LADDER_CHECK(check_words_version(stream.bytes(0, 2)));
  Step step{.layout = {.owner = at.owner, .generation = stream.int8(0, 1), .columns = read_word_columns(found[2])}, .long_one = {}};
  Rewrite rewrite(at.stream, step.layout);
  const Deadline enough = Deadline::after(kTokenizing);
  std::string upto = stream.text(0, 0);
  int row = 0;
  for (; row < records.size() && !enough.passed(); ++row) {
    WordedRecord record(records, row);
    std::string key = record.key;
    if (record.mask != step.layout.mask()) {
      if (has_long_text(step.layout, record.body)) {
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
  return step;
}

// Cuts the long texts of a record into the passages of a new one.
class TextCopy {
 public:
  TextCopy(Pool& pool, const WordsToDo& at, const WordLayout& layout, const WordedRecord& record, TextNo text)
      : pool_(pool), at_(at), layout_(layout), record_(record), text_(text) {}

  Status run() {
    LADDER_CHECK(pool_.run([&](Connection& connection) -> Status {
      connection.begin();
      LADDER_TRY(const auto begun, connection.run());
      queue_lease(connection, text_, 0, text_, at_.stream, layout_.generation);
      LADDER_TRY(const auto added, connection.commit());
      return {};
    }));
    for (const SearchedText& text : searched_texts(record_.body, layout_.columns)) {
      if (text.ref) LADDER_CHECK(copy(text));
    }
    LADDER_CHECK(flush());
    return pool_.run([&](Connection& connection) { return put_in_place(connection); });
  }

 private:
  Status copy(const SearchedText& text) {
    bool first = true;
    PassageCutter cutter([&](Passage&& passage) -> Status {
      passages_.add(text_, at_.stream,
                    passage_row(layout_.owner, text.column, text.ref->id, next_passage_++, passage, std::exchange(first, false)));
      return {};
    });
    for (std::int64_t chunk = 0;; chunk += kChunksAtOnce) {
      LADDER_TRY(const Rows chunks, pool_.run([&](Connection& connection) {
        return connection.run_one(kSelectChunks, text.ref->text_id, chunk, chunk + kChunksAtOnce - 1);
      }));
      for (int row = 0; row < chunks.size(); ++row) LADDER_CHECK(cutter.feed(chunks.bytes(row, 0)));
      if (passages_.bytes() >= kWordBytes) LADDER_CHECK(flush());
      if (chunks.size() < kChunksAtOnce) return cutter.finish();
    }
  }

  Status flush() {
    if (lost_) return {};
    LADDER_CHECK(pool_.run([&](Connection& connection) -> Status {
      connection.begin();
      LADDER_TRY(const bool renewed, renew_lease(connection, text_));
      lost_ = !renewed;
      if (lost_) return connection.rollback();
      passages_.queue(connection);
      LADDER_TRY(const auto written, connection.commit());
      return {};
    }));
    passages_ = {};
    return {};
  }

  // Unless the record or the columns have changed meanwhile: then the next step begins anew.
  Status put_in_place(Connection& connection) {
    connection.begin();
    connection.add(kLockStream, at_.stream);
    connection.add(kOneRecord, record_.no);
    LADDER_TRY(const auto found, connection.run());
    const Rows &stream = found[0], &records = found[1];
    const bool same_columns = !stream.empty() && stream.int8(0, 1) == layout_.generation;
    LADDER_TRY(const bool kept, renew_lease(connection, text_));
    if (!kept) return connection.rollback();
    if (!same_columns || !is_unchanged(records)) {
      connection.add(kGiveUpLease, text_);
    } else {
      LADDER_CHECK(replace(connection));
    }
    LADDER_TRY(const auto written, connection.commit());
    return {};
  }

  bool is_unchanged(const Rows& records) const {
    if (records.empty()) return false;
    const WordedRecord now(records, 0);
    return now.version == record_.version && now.first_value == record_.first_value && now.text == record_.text &&
           now.mask == record_.mask && now.body == record_.body;
  }

  Status replace(Connection& connection) {
    LADDER_TRY(const RecordWords words, words_of_record(layout_, record_.body, nullptr));
    WordRows rows(at_.stream);
    if (record_.text == 0) rows.drop_single(record_.no);
    else rows.drop_text(record_.text, false);
    rows.add_text(text_, record_.no, words.passages);
    rows.queue(connection);
    if (record_.text == 0) connection.add(kEndLease, text_);
    else connection.add(kGiveLeaseToOldText, text_, record_.text);
    Int8Array numbers, texts;
    numbers.add(record_.no);
    texts.add(text_);
    connection.add(kSetRecords, numbers, texts, static_cast<std::int64_t>(layout_.mask()));
    return {};
  }

  Pool& pool_;
  const WordsToDo& at_;
  const WordLayout& layout_;
  const WordedRecord& record_;
  const TextNo text_;
  PassageRows passages_;
  std::int64_t next_passage_ = 0;
  bool lost_ = false;  // it took too long, and was swept
};

}  // namespace

Result<std::optional<WordsToDo>> find_words_to_do(Connection& connection) {
  LADDER_TRY(const Rows rows, connection.run_one(kFindToDo));
  if (rows.empty()) return std::nullopt;
  return WordsToDo{rows.int8(0, 0), rows.int8(0, 1)};
}

Status reindex_words(Pool& pool, const WordsToDo& at, const std::function<Result<ValueId>()>& new_value) {
  LADDER_TRY(const auto step, pool.run([&](Connection& connection) { return short_step(connection, at); }));
  if (!step || !step->long_one) return {};
  LADDER_TRY(const TextNo text, new_value());
  return TextCopy(pool, at, step->layout, *step->long_one, text).run();
}

}  // namespace ladder::store::postgres

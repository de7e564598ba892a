#include "store/postgres/upkeep/text_copy.h"

#include "base/text/utf8.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/staging.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kChunksAtOnce = 64;

constexpr Statement kSetRecords{R"(
  UPDATE records r SET text_no = w.text_no, word_mask = $3::bigint
  FROM (SELECT unnest($1::bigint[]) AS record_no, unnest($2::bigint[]) AS text_no) AS w
  WHERE r.owner_no = :owner AND r.record_no = w.record_no)"};
constexpr Statement kNoteCopy{
    "UPDATE streams SET words_set = $2::bigint, words_set_version = $3::bigint"
    " WHERE owner_no = :owner AND stream_no = $1::bigint AND words_upto IS NOT NULL AND word_generation = $4::bigint"};
// Changes the stream's row, which invalidates the ranges cached for searches (stream_cache.h).
constexpr Statement kTouchStream{"UPDATE streams SET words_set = words_set WHERE owner_no = :owner AND stream_no = $1::bigint"};
// An active worker has renewed the lease within the last seconds.
#define LADDER_PG_NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
constexpr Statement kFindCopy{
    "SELECT touched_at > " LADDER_PG_NOW
    " - 5000000 FROM loose_values"
    " WHERE owner_no = :owner AND first_value = $1::bigint AND state = 0 AND word_generation = $2::bigint FOR UPDATE"};
constexpr Statement kTakeCopy{"UPDATE loose_values SET touched_at = " LADDER_PG_NOW
                              " WHERE owner_no = :owner AND first_value = $1::bigint"};
constexpr Statement kReleaseCopy{
    "UPDATE loose_values SET touched_at = touched_at - 5000000 WHERE owner_no = :owner AND first_value = $1::bigint AND state = "
    "0"};
constexpr Statement kLastPassage{R"(
  SELECT t.first, t.last, p.row_id, p.value_id, p.start_char
  FROM (SELECT min(text_no) AS first, max(text_no) AS last FROM texts WHERE owner_no = :owner AND loose = $1::bigint AND loose > 0) AS t,
       LATERAL (SELECT row_id, value_id, start_char FROM passages
                WHERE owner_no = :owner AND row_id >= t.last << 20 AND row_id < (t.last << 20) + $2::bigint ORDER BY row_id DESC LIMIT 1) AS p)"};
constexpr Statement kSelectChunks{kSelectChunksSql};

constexpr Statement kLockStream{
    "SELECT word_generation, next_text, text_end FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint AND words_upto "
    "IS NOT NULL FOR NO KEY "
    "UPDATE"};
constexpr Statement kOneRecord{"SELECT " LADDER_PG_WORD_INDEX_COLUMNS
                               " FROM records WHERE owner_no = :owner AND record_no = $1::bigint"};
constexpr Statement kTakeValueId{
    "UPDATE counters SET next = next + 1 WHERE owner_no = :owner AND name = 'value_id' RETURNING next - 1"};
// A set without values whose texts need the chunks of another set.
constexpr Statement kAddDead{
    "INSERT INTO loose_values (owner_no, first_value, value_count, state, touched_at, uses) VALUES (:owner, $1::bigint, 0, 1, 0, "
    "$2::bigint)"};
constexpr Statement kEndLease{"DELETE FROM loose_values WHERE owner_no = :owner AND first_value = $1::bigint"};
constexpr Statement kDiscardLease{"UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND first_value = $1::bigint"};

}  // namespace

WordIndexRecord::WordIndexRecord(const Rows& rows, int row)
    : no(rows.int8(row, 0)),
      key(rows.text(row, 1)),
      version(rows.int8(row, 2)),
      first_value(rows.int8(row, 3)),
      value_count(rows.int8(row, 4)),
      text(rows.int8(row, 5)),
      mask(static_cast<text::WordColumns>(rows.int8(row, 6))) {
  if (!read_body(rows, row, 7, 8, body)) body = "{}";  // its words are not found; `ladder doctor` reports it
}

void queue_text_numbers(Connection& connection, const Int8Array& records, const Int8Array& texts, text::WordColumns mask) {
  connection.add(kSetRecords, records, texts, static_cast<std::int64_t>(mask));
}

Result<bool> TextCopy::begin(ValueId set) {
  set_ = set;
  return pool_.run(words_.owner, [&](Connection& connection) -> Result<bool> {
    connection.begin();
    connection.add(kNoteCopy, stream_, set_, record_.version, words_.epoch);
    connection.add(kOneRecord, record_.no);
    LADDER_TRY(const auto answers, connection.run());
    // The stream is locked, so the record's values are not dead. A later sweep sees that this set needs them.
    if (answers[0].affected() == 0 || !is_unchanged(answers[1])) {
      LADDER_CHECK(connection.rollback());
      return false;
    }
    queue_lease(connection,
                {.first = set_, .count = 0, .stream = stream_, .generation = words_.epoch, .uses = record_.first_value});
    LADDER_TRY(const auto added, connection.commit());
    return true;
  });
}

Result<TextCopy::ResumeResult> TextCopy::resume(ValueId set) {
  set_ = set;
  return pool_.run(words_.owner, [&](Connection& connection) -> Result<ResumeResult> {
    connection.begin();
    connection.add(kFindCopy, set_, words_.epoch);
    connection.add(kLastPassage, set_, kLongPassages);
    LADDER_TRY(const auto found, connection.run());
    const Rows &lease = found[0], &last = found[1];
    if (lease.empty() || lease.boolean(0, 0)) {
      LADDER_CHECK(connection.rollback());
      return lease.empty() ? ResumeResult::kGone : ResumeResult::kBusy;
    }
    if (!last.empty()) {
      cursor_ = {.first = last.int8(0, 0), .text = last.int8(0, 1)};
      cursor_.next = last.int8(0, 2) - first_row(cursor_.text) + 1;
      reached_ = Reached{.value = last.int8(0, 3), .start = last.int8(0, 4)};  // it is cut again but not written
    }
    connection.add(kTakeCopy, set_);
    LADDER_TRY(const auto taken, connection.commit());
    return ResumeResult::kYes;
  });
}

Status TextCopy::run(Deadline deadline) {
  bool skipping = reached_.has_value();  // texts before the last one reached are done
  for (const SearchedText& text : words_.texts(record_.body, words_.mask)) {
    if (!text.ref) continue;
    if (skipping && text.ref->id != reached_->value) continue;
    LADDER_TRY(const bool whole, copy(text, std::exchange(skipping, false) ? reached_->start : 0, deadline));
    if (!whole) return release_lease();
  }
  LADDER_CHECK(flush());
  return pool_.run(words_.owner, [&](Connection& connection) { return attach(connection); });
}

Result<bool> TextCopy::copy(const SearchedText& text, std::int64_t from, Deadline deadline) {
  const LongRef& ref = *text.ref;
  bool again = reached_ && reached_->value == ref.id;
  TextWriter writer(rows_, {.record = 0, .loose = set_}, [this] { return take_text(pool_, words_.owner, stream_); });
  text::PassageCutter cutter([&](text::Passage&& passage) -> Status {
    if (std::exchange(again, false)) return {};
    passage.start += from;
    passage.end += from;
    return writer.add(cursor_, ref.id, text.column, std::move(passage));
  });
  std::int64_t skip = from % ref.chunk_chars;
  std::string buffer;
  for (std::int64_t chunk = from / ref.chunk_chars;; chunk += kChunksAtOnce) {
    LADDER_TRY(const Rows chunks, pool_.run(words_.owner, [&](Connection& connection) {
      return connection.run_one(kSelectChunks, ref.text_id, chunk, chunk + kChunksAtOnce - 1);
    }));
    for (int row = 0; row < chunks.size(); ++row) {
      const std::string_view bytes = raw_text(stored_at(chunks, row, 0, 3), limits::kChunkBytes, buffer);
      LADDER_CHECK(cutter.feed(bytes.substr(utf8::offset_of(bytes, std::exchange(skip, 0)))));
    }
    if (chunks.size() < kChunksAtOnce) break;
    if (rows_.bytes() < kWordBytes) continue;
    LADDER_CHECK(flush());
    if (lost_ || deadline.passed()) return false;
  }
  LADDER_CHECK(cutter.finish());
  return true;
}

Status TextCopy::flush() {
  if (lost_) return {};
  Status flushed = pool_.run(words_.owner, [&](Connection& connection) -> Status {
    connection.begin();
    LADDER_TRY(const bool renewed, renew_lease(connection, set_));
    lost_ = !renewed;
    if (lost_) return connection.rollback();
    LADDER_CHECK(rows_.write(connection));
    LADDER_TRY(const auto written, connection.commit());
    return {};
  });
  LADDER_CHECK(flushed);
  rows_ = WordRows(words_.owner);
  return {};
}

Status TextCopy::release_lease() {
  return pool_.run(words_.owner, [&](Connection& connection) -> Status {
    connection.begin();
    connection.add(kReleaseCopy, set_);
    LADDER_TRY(const auto left, connection.commit());
    return {};
  });
}

// Attaches the copy, unless the record or the columns have changed; then the next step starts again.
Status TextCopy::attach(Connection& connection) {
  connection.begin();
  connection.add(kLockStream, stream_);
  connection.add(kOneRecord, record_.no);
  LADDER_TRY(const auto found, connection.run());
  const Rows &stream = found[0], &records = found[1];
  const bool same_columns = !stream.empty() && stream.int8(0, 0) == words_.epoch;
  LADDER_TRY(const bool kept, renew_lease(connection, set_));
  if (!kept) return connection.rollback();
  if (same_columns && is_unchanged(records)) LADDER_CHECK(replace(connection, {stream.int8(0, 1), stream.int8(0, 2)}));
  else connection.add(kDiscardLease, set_);
  LADDER_TRY(const auto written, connection.commit());
  return {};
}

bool TextCopy::is_unchanged(const Rows& records) const {
  if (records.empty()) return false;
  const WordIndexRecord now(records, 0);
  return now.version == record_.version && now.first_value == record_.first_value && now.text == record_.text &&
         now.mask == record_.mask && now.body == record_.body;
}

Status TextCopy::replace(Connection& connection, UnusedNumbers numbers) {
  TextNumbers texts(connection, stream_, numbers);
  WordRows rows(words_.owner);
  WordWriter writer(rows, words_, texts);
  ValueId dead = 0;
  if (record_.text != 0) {
    LADDER_TRY(const Rows taken, connection.run_last(kTakeValueId));
    dead = taken.int8(0, 0);
    connection.add(kAddDead, dead, record_.first_value);
  }
  LADDER_CHECK(writer.retire(record_.source(), record_.state(), dead));
  LADDER_TRY(const WordState state, writer.add(record_.source(), nullptr, {set_, cursor_.first}));
  texts.queue_update();
  connection.add(kEndLease, set_);
  Int8Array records, text_numbers;
  records.add(record_.no);
  text_numbers.add(state.text);
  queue_text_numbers(connection, records, text_numbers, state.mask);
  connection.add(kTouchStream, stream_);
  return rows.write(connection);
}

}  // namespace ladder::store::postgres

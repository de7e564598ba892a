#include "store/postgres/search/text_copy.h"

#include "base/text/utf8.h"
#include "store/postgres/records/record_rows.h"
#include "store/postgres/records/staging.h"

#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kChunksAtOnce = 64;

constexpr Statement kSetRecords{R"(
  UPDATE records r SET text_no = w.text_no, word_mask = $3::bigint
  FROM (SELECT unnest($1::bigint[]) AS record_no, unnest($2::bigint[]) AS text_no) AS w WHERE r.record_no = w.record_no)"};
constexpr Statement kNoteCopy{
    "UPDATE streams SET words_text = $2::bigint, words_text_version = $3::bigint"
    " WHERE stream_no = $1::bigint AND words_upto IS NOT NULL AND word_generation = $4::bigint"};
// Counts of words that searches keep end with the stream's row (word_search.cpp).
constexpr Statement kTouchStream{"UPDATE streams SET words_text = words_text WHERE stream_no = $1::bigint"};
// A live worker has renewed the lease within the last seconds.
#define LADDER_PG_NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
constexpr Statement kFindCopy{"SELECT touched_at > " LADDER_PG_NOW
                              " - 5000000 FROM loose_values"
                              " WHERE first_value = $1::bigint AND state = 0 AND word_generation = $2::bigint FOR UPDATE"};
constexpr Statement kTakeCopy{"UPDATE loose_values SET touched_at = " LADDER_PG_NOW " WHERE first_value = $1::bigint"};
constexpr Statement kLeaveCopy{
    "UPDATE loose_values SET touched_at = touched_at - 5000000 WHERE first_value = $1::bigint AND state = 0"};
constexpr Statement kLastPassage{
    "SELECT passage_no, value_id, start_char FROM passages WHERE text_no = $1::bigint ORDER BY passage_no DESC LIMIT 1"};
constexpr Statement kSelectChunks{kSelectChunksSql};

constexpr Statement kLockStream{
    "SELECT word_generation FROM streams WHERE stream_no = $1::bigint AND words_upto IS NOT NULL FOR NO KEY UPDATE"};
constexpr Statement kOneRecord{"SELECT " LADDER_PG_WORDED " FROM records WHERE record_no = $1::bigint"};
constexpr Statement kGiveLeaseToOldText{"UPDATE loose_values SET state = 1, text_no = $2::bigint WHERE first_value = $1::bigint"};
constexpr Statement kEndLease{"DELETE FROM loose_values WHERE first_value = $1::bigint"};
constexpr Statement kGiveUpLease{"UPDATE loose_values SET state = 1 WHERE first_value = $1::bigint"};

}  // namespace

WordedRecord::WordedRecord(const Rows& rows, int row)
    : no(rows.int8(row, 0)),
      key(rows.text(row, 1)),
      consent_time(rows.maybe_int8(row, 2)),
      version(rows.int8(row, 3)),
      first_value(rows.int8(row, 4)),
      value_count(rows.int8(row, 5)),
      text(rows.int8(row, 6)),
      mask(static_cast<WordColumns>(rows.int8(row, 7))) {
  if (!read_body(rows, row, 8, 9, body)) body = "{}";  // nobody finds it; `ladder doctor` names it
}

void queue_text_numbers(Connection& connection, const Int8Array& records, const Int8Array& texts, WordColumns mask) {
  connection.add(kSetRecords, records, texts, static_cast<std::int64_t>(mask));
}

Result<bool> TextCopy::begin(TextNo text) {
  text_ = text;
  return pool_.run([&](Connection& connection) -> Result<bool> {
    connection.begin();
    LADDER_TRY(const Rows noted, connection.run_last(kNoteCopy, stream_, text_, record_.version, layout_.generation));
    if (noted.affected() == 0) {
      LADDER_CHECK(connection.rollback());
      return false;
    }
    queue_lease(connection, text_, 0, text_, stream_, layout_.generation);
    LADDER_TRY(const auto added, connection.commit());
    return true;
  });
}

Result<TextCopy::Resumed> TextCopy::resume(TextNo text) {
  text_ = text;
  return pool_.run([&](Connection& connection) -> Result<Resumed> {
    connection.begin();
    connection.add(kFindCopy, text_, layout_.generation);
    connection.add(kLastPassage, text_);
    LADDER_TRY(const auto found, connection.run());
    const Rows &lease = found[0], &last = found[1];
    if (lease.empty() || lease.boolean(0, 0)) {
      LADDER_CHECK(connection.rollback());
      return lease.empty() ? Resumed::kGone : Resumed::kBusy;
    }
    if (!last.empty()) {
      next_passage_ = last.int8(0, 0);  // it is cut again, but not written
      reached_ = Reached{.value = last.int8(0, 1), .start = last.int8(0, 2)};
    }
    connection.add(kTakeCopy, text_);
    LADDER_TRY(const auto taken, connection.commit());
    return Resumed::kYes;
  });
}

Status TextCopy::go_on(Deadline deadline) {
  bool passed_over = reached_.has_value();  // texts before the one that was reached are done
  for (const SearchedText& text : searched_texts(record_.body, layout_.columns)) {
    if (!text.ref) continue;
    if (passed_over && text.ref->id != reached_->value) continue;
    LADDER_TRY(const bool whole, copy(text, std::exchange(passed_over, false) ? reached_->start : 0, deadline));
    if (!whole) return leave();
  }
  LADDER_CHECK(flush());
  return pool_.run([&](Connection& connection) { return put_in_place(connection); });
}

Result<bool> TextCopy::copy(const SearchedText& text, std::int64_t from, Deadline deadline) {
  const LongRef& ref = *text.ref;
  bool first = from == 0, again = reached_ && reached_->value == ref.id;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    passage.start += from;
    passage.end += from;
    const std::int64_t no = next_passage_++;
    const bool is_first = std::exchange(first, false);
    if (std::exchange(again, false)) return {};
    passages_.add(text_, stream_, passage_row(layout_.owner, text.column, ref.id, no, passage, is_first));
    return {};
  });
  std::int64_t skip = from % ref.chunk_chars;
  std::string buffer;
  for (std::int64_t chunk = from / ref.chunk_chars;; chunk += kChunksAtOnce) {
    LADDER_TRY(const Rows chunks, pool_.run([&](Connection& connection) {
      return connection.run_one(kSelectChunks, ref.text_id, chunk, chunk + kChunksAtOnce - 1);
    }));
    for (int row = 0; row < chunks.size(); ++row) {
      const std::string_view bytes = raw_text(stored_at(chunks, row, 0, 3), limits::kChunkBytes, buffer);
      LADDER_CHECK(cutter.feed(bytes.substr(utf8::offset_of(bytes, std::exchange(skip, 0)))));
    }
    if (chunks.size() < kChunksAtOnce) break;
    if (passages_.bytes() < kWordBytes) continue;
    LADDER_CHECK(flush());
    if (lost_ || deadline.passed()) return false;
  }
  LADDER_CHECK(cutter.finish());
  return true;
}

Status TextCopy::flush() {
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
  new_words_.add_passages(pool_, passages_.bytes());
  passages_ = {};
  return {};
}

Status TextCopy::leave() {
  return pool_.run([&](Connection& connection) -> Status {
    connection.begin();
    connection.add(kLeaveCopy, text_);
    LADDER_TRY(const auto left, connection.commit());
    return {};
  });
}

// Unless the record or the columns have changed meanwhile: then the next step begins anew.
Status TextCopy::put_in_place(Connection& connection) {
  connection.begin();
  connection.add(kLockStream, stream_);
  connection.add(kOneRecord, record_.no);
  LADDER_TRY(const auto found, connection.run());
  const Rows &stream = found[0], &records = found[1];
  const bool same_columns = !stream.empty() && stream.int8(0, 0) == layout_.generation;
  LADDER_TRY(const bool kept, renew_lease(connection, text_));
  if (!kept) return connection.rollback();
  if (same_columns && is_unchanged(records)) LADDER_CHECK(replace(connection));
  else connection.add(kGiveUpLease, text_);
  LADDER_TRY(const auto written, connection.commit());
  return {};
}

bool TextCopy::is_unchanged(const Rows& records) const {
  if (records.empty()) return false;
  const WordedRecord now(records, 0);
  return now.version == record_.version && now.first_value == record_.first_value && now.text == record_.text &&
         now.mask == record_.mask && now.body == record_.body;
}

Status TextCopy::replace(Connection& connection) {
  LADDER_TRY(const RecordWords words, words_of_record(layout_, record_.body, nullptr));
  WordRows rows(stream_);
  if (record_.text == 0) rows.drop_single(record_.no);
  else rows.drop_text(record_.text, false);
  rows.add_text(text_, record_.no, words.passages);
  rows.queue(connection);
  if (record_.text == 0) connection.add(kEndLease, text_);
  else connection.add(kGiveLeaseToOldText, text_, record_.text);
  Int8Array numbers, texts;
  numbers.add(record_.no);
  texts.add(text_);
  queue_text_numbers(connection, numbers, texts, layout_.mask());
  connection.add(kTouchStream, stream_);
  return {};
}

}  // namespace ladder::store::postgres

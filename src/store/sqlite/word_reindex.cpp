#include "store/sqlite/word_reindex.h"

#include "base/utf8.h"
#include "store/sqlite/store_impl.h"

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kRecordsAtOnce = 32;
constexpr std::int64_t kMostLongChars = 32'000;  // of a record's long texts that are indexed in one transaction with it

struct Unready {
  StreamNo stream = 0;
  std::string upto;
};

Result<std::optional<Unready>> next_unready(Connection& connection) {
  Statement row = connection.use(Sql::kUnreadyWords);
  LADDER_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  return Unready{row.integer_at(0), row.string_at(1)};
}

Result<std::vector<StaleRecord>> next_records(Connection& connection, const Unready& at) {
  std::vector<StaleRecord> records;
  Statement rows = connection.use(Sql::kRecordsForWords);
  rows.integer(1, at.stream).blob(2, at.upto).integer(3, kRecordsAtOnce);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return records;
    records.push_back({rows.string_at(0),
                       rows.integer_at(1),
                       {static_cast<WordColumns>(rows.integer_at(2)), rows.integer_at(3)},
                       rows.integer_at(4),
                       rows.integer_at(5),
                       rows.string_at(6)});
  }
}

std::int64_t long_chars(std::span<const SearchedText> texts) {
  std::int64_t chars = 0;
  for (const SearchedText& text : texts) chars += text.ref ? text.ref->size_chars : 0;
  return chars;
}

class Step {
 public:
  Step(WriteTransaction& transaction, Unready at, StreamWords words)
      : transaction_(transaction), at_(std::move(at)), words_(std::move(words)), rows_(*transaction) {}

  // As many records as fit the transaction, but one in any case. Gives the one that does not fit any.
  Result<std::optional<StaleRecord>> run(Deadline deadline);

 private:
  Result<WordState> rewrite(const StaleRecord& record, std::span<const SearchedText> texts);
  Status add_long(TextCursor& cursor, TextWriter& writer, std::span<const SearchedText> texts);
  Status finish();
  bool full(Deadline deadline) const {
    return transaction_.used_up() || rows_.bytes_gathered() >= kMostWordBytes || deadline.passed();
  }

  WriteTransaction& transaction_;
  Unready at_;
  const StreamWords words_;
  WordRows rows_;
};

Result<std::optional<StaleRecord>> Step::run(Deadline deadline) {
  std::optional<StaleRecord> too_long;
  for (bool more = true; more && !too_long;) {
    LADDER_TRY(std::vector<StaleRecord> records, next_records(*transaction_, at_));
    if (records.empty()) {
      LADDER_CHECK(rows_.save());
      LADDER_CHECK(finish());
      return std::nullopt;
    }
    for (StaleRecord& record : records) {
      if (record.state.mask != words_.mask) {
        const std::vector<SearchedText> texts = words_.texts(record.body, words_.mask);
        if (long_chars(texts) > kMostLongChars) {
          too_long = std::move(record);
          break;
        }
        LADDER_TRY(const WordState state, rewrite(record, texts));
        LADDER_CHECK(
            transaction_->use(Sql::kSetRecordWords).integer(1, record.no).integer(2, state.mask).integer(3, state.text).run());
      }
      at_.upto = std::move(record.key);
      more = !full(deadline);
      if (!more) break;
    }
  }
  LADDER_CHECK(rows_.save());
  LADDER_CHECK(transaction_->use(Sql::kSetWordsUpto).integer(1, at_.stream).blob(2, at_.upto).run());
  return too_long;
}

Result<WordState> Step::rewrite(const StaleRecord& record, std::span<const SearchedText> texts) {
  LADDER_CHECK(retire_words(*transaction_, rows_, words_, record));
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(texts));
  TextCursor cursor;
  TextWriter writer(*transaction_, rows_, at_.stream, {.record = record.no, .loose = 0});
  LADDER_CHECK(add_long(cursor, writer, texts));
  if (cursor.first == 0 && fit_one_row(passages)) {
    LADDER_CHECK(rows_.add(record_row(record.no), one_row(std::move(passages))));
    return WordState{words_.mask, 0};
  }
  if (cursor.first == 0) LADDER_CHECK(writer.begin(cursor));
  LADDER_CHECK(add_short_rows(*transaction_, rows_, cursor.first, std::move(passages)));
  return WordState{words_.mask, cursor.first};
}

Status Step::add_long(TextCursor& cursor, TextWriter& writer, std::span<const SearchedText> texts) {
  for (const SearchedText& text : texts) {
    if (!text.ref) continue;
    PassageCutter cutter([&](Passage&& passage) { return writer.add(cursor, text.ref->id, text.column, std::move(passage)); });
    ChunkReader chunks(*transaction_, *text.ref, 0);
    for (std::string piece;;) {
      LADDER_TRY(const bool more, chunks.next(piece));
      if (!more) break;
      LADDER_CHECK(cutter.feed(piece));
    }
    LADDER_CHECK(cutter.finish());
  }
  return {};
}

// Every record has the words of every column, and of no other.
Status Step::finish() {
  LADDER_CHECK(transaction_->use(Sql::kSetColumnsReady).integer(1, at_.stream).run());
  LADDER_CHECK(transaction_->use(Sql::kDropDroppedColumns).integer(1, at_.stream).run());
  LADDER_CHECK(transaction_->use(Sql::kSetWordsUpto).unbind().integer(1, at_.stream).run());
  return transaction_->use(Sql::kTouchCatalogOfStream).integer(1, at_.stream).run();
}

}  // namespace

Status retire_words(Connection& connection, WordRows& rows, const StreamWords& words, const StaleRecord& record) {
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(words.texts(record.body, record.state.mask)));
  if (record.state.text == 0) return rows.remove(record_row(record.no), one_row(std::move(passages)));
  LADDER_CHECK(remove_short_rows(connection, rows, record.state.text, std::move(passages)));
  if (record.value_count == 0) return connection.use(Sql::kDropTextsOfRecord).integer(1, record.no).run();
  // The values stay the record's, so its old texts go with a set that has no values, and whose words are worked out from these.
  LADDER_TRY(const ValueId set, take_numbers(connection, "next_value", 1));
  LADDER_CHECK(connection.use(Sql::kAddLoose)
                   .integer(1, set)
                   .integer(2, 1)
                   .integer(3, static_cast<std::int64_t>(LooseState::kDead))
                   .integer(4, Clock::system().now())
                   .integer(5, 0)
                   .integer(6, record.first_value)
                   .run());
  return connection.use(Sql::kHideTexts).integer(1, record.no).integer(2, set).run();
}

ChunkReader::ChunkReader(Connection& connection, const LongRef& ref, std::int64_t from)
    : connection_(connection), ref_(ref), chunk_(from / ref.chunk_chars), skip_(from % ref.chunk_chars) {}

Result<bool> ChunkReader::next(std::string& piece) {
  if (chunk_ * ref_.chunk_chars >= ref_.size_chars) return false;
  Statement rows = connection_.use(Sql::kChunks);
  LADDER_TRY(const bool row, rows.integer(1, chunk_row(ref_.id, chunk_)).integer(2, chunk_row(ref_.id, chunk_)).step());
  if (!row) return fail(Code::kInternal, "a part of a long value is missing");
  const std::string_view bytes = rows.bytes_at(1);
  piece = bytes.substr(utf8::offset_of(bytes, skip_));
  skip_ = 0;
  ++chunk_;
  return true;
}

Result<bool> words_unready(Connection& connection) {
  LADDER_TRY(const std::optional<Unready> at, next_unready(connection));
  return at.has_value();
}

Status reindex_words(Writer& writer, ReaderPool& readers, Deadline deadline) {
  std::optional<StaleRecord> too_long;
  StreamNo stream = 0;
  {
    LADDER_TRY(WriteTransaction transaction, writer.begin());
    LADDER_TRY(std::optional<Unready> at, next_unready(*transaction));
    if (!at) return {};  // somebody else has finished
    stream = at->stream;
    LADDER_TRY(StreamWords words, load_stream_words(*transaction, stream));
    Step step(transaction, *std::move(at), std::move(words));
    LADDER_TRY(too_long, step.run(deadline));
    LADDER_CHECK(transaction.commit_bulk());
  }
  if (too_long) LADDER_CHECK(reindex_long(writer, readers, stream, *too_long, deadline));
  return {};
}

}  // namespace ladder::store::sqlite

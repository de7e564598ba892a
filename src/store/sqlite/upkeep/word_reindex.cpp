#include "store/sqlite/upkeep/word_reindex.h"

#include "base/text/utf8.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/records/reader.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kRecordsAtOnce = 32;
constexpr std::int64_t kMaxLongChars = 32'000;  // of a record's long texts that are indexed together with it in one transaction

struct Unready {
  OwnerNo owner = 0;
  StreamNo stream = 0;
  std::string upto;
};

Result<std::optional<Unready>> next_unready(Connection& connection) {
  Statement row = connection.use(Sql::kUnreadyWords);
  LADDER_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  return Unready{row.integer_at(0), row.integer_at(1), row.string_at(2)};
}

Result<std::vector<StaleRecord>> next_records(Connection& connection, const Unready& at) {
  std::vector<StaleRecord> records;
  Statement rows = connection.use(Sql::kRecordsForWords);
  rows.integer(1, at.stream).blob(2, at.upto).integer(3, kRecordsAtOnce);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return records;
    StaleRecord& record = records.emplace_back(rows.string_at(0), rows.integer_at(1),
                                               WordState{static_cast<text::WordColumns>(rows.integer_at(2)), rows.integer_at(3)},
                                               rows.integer_at(4), rows.integer_at(5), std::string());
    if (!read_body(rows, 6, 7, record.body)) record.body = "{}";  // its words are not found; `ladder doctor` reports it
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

  // Indexes as many records as fit the transaction, but at least one. Returns a record that is too long for any transaction.
  Result<std::optional<StaleRecord>> run(Deadline deadline);

 private:
  Result<WordState> rewrite(const StaleRecord& record, std::span<const SearchedText> texts);
  Status add_long(TextCursor& cursor, TextWriter& writer, std::span<const SearchedText> texts);
  Status finish();
  bool full(Deadline deadline) const {
    return transaction_.time_is_up() || rows_.bytes() >= kMaxBatchWordBytes || deadline.passed();
  }

  WriteTransaction& transaction_;
  Unready at_;
  const StreamWords words_;
  WordRows rows_;
};

Result<std::optional<StaleRecord>> Step::run(Deadline deadline) {
  std::optional<StaleRecord> too_long;
  LADDER_CHECK(rows_.begin(words_.owner));
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
        if (long_chars(texts) > kMaxLongChars) {
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
    LADDER_CHECK(rows_.add(first_row(record.no), one_row(std::move(passages))));
    return WordState{words_.mask, 0};
  }
  if (cursor.first == 0) LADDER_CHECK(writer.begin(cursor));
  LADDER_CHECK(add_short_rows(*transaction_, rows_, cursor.first, std::move(passages)));
  return WordState{words_.mask, cursor.first};
}

Status Step::add_long(TextCursor& cursor, TextWriter& writer, std::span<const SearchedText> texts) {
  for (const SearchedText& text : texts) {
    if (!text.ref) continue;
    text::PassageCutter cutter(
        [&](text::Passage&& passage) { return writer.add(cursor, text.ref->id, text.column, std::move(passage)); });
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

// Every record now has the words of all columns and of no others.
Status Step::finish() {
  LADDER_CHECK(transaction_->use(Sql::kSetColumnsReady).integer(1, at_.stream).run());
  LADDER_CHECK(transaction_->use(Sql::kDropDroppedColumns).integer(1, at_.stream).run());
  LADDER_CHECK(transaction_->use(Sql::kSetWordsUpto).integer(1, at_.stream).maybe_integer(2, std::nullopt).run());
  return transaction_->use(Sql::kTouchCatalog).integer(1, at_.owner).run();
}

}  // namespace

Status retire_words(Connection& connection, WordRows& rows, const StreamWords& words, const StaleRecord& record) {
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(words.texts(record.body, record.state.mask)));
  if (record.state.text == 0) return rows.remove(first_row(record.no), one_row(std::move(passages)));
  LADDER_CHECK(remove_short_rows(connection, rows, record.state.text, std::move(passages)));
  if (record.value_count == 0) return connection.use(Sql::kDropTextsOfRecord).integer(1, record.no).run();
  // The record keeps its values. Its old texts move to a set without values, and the sweep computes their words from
  // the record's values.
  LADDER_TRY(const ValueId set, take_numbers(connection, OwnerCounter::kValues, 1));
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
  ChunkRows rows(connection_, ref_.id, chunk_, chunk_);
  LADDER_TRY(const bool row, rows.next());
  if (!row) return fail(Code::kInternal, "a part of a long value is missing");
  const std::string_view bytes = rows.text();
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
  OwnerNo owner = 0;
  StreamNo stream = 0;
  {
    LADDER_TRY(WriteTransaction transaction, writer.begin());
    LADDER_TRY(std::optional<Unready> at, next_unready(*transaction));
    if (!at) return {};  // another process has finished it
    owner = at->owner;
    stream = at->stream;
    transaction.set_owner(owner);
    LADDER_TRY(StreamWords words, load_stream_words(*transaction, stream));
    Step step(transaction, *std::move(at), std::move(words));
    LADDER_TRY(too_long, step.run(deadline));
    LADDER_CHECK(transaction.commit_bulk());
  }
  if (too_long) LADDER_CHECK(reindex_long(writer, readers, owner, stream, *too_long, deadline));
  return {};
}

// Indexes a record with a very long text for new columns. Its passages are written in short steps under a hidden text
// number, with a lease like that of any staged value. A last step attaches them to the record. A later run resumes
// where the previous one stopped.

namespace {

class LongReindex {
 public:
  LongReindex(Writer& writer, ReaderPool& readers, OwnerNo owner, StreamNo stream, const StaleRecord& record)
      : writer_(writer), readers_(readers), owner_(owner), stream_(stream), record_(record) {}

  Result<bool> run(Deadline deadline);

 private:
  struct PendingPassage {
    ValueId value = 0;
    int column = 0;
    text::Passage passage;
  };
  struct Done {
    ValueId value = 0;
    std::int64_t start = 0;  // of the last passage that is written
  };

  Result<bool> begin();                            // false: the record has changed
  Result<bool> unchanged(Connection& connection);  // checks the record and the columns
  Status take_over(Connection& connection, ValueId other);
  Status index(const SearchedText& text, std::int64_t from, Deadline deadline);
  Status keep(const SearchedText& text, std::int64_t from, text::Passage passage);
  Status flush();
  Status attach();

  Writer& writer_;
  ReaderPool& readers_;
  const OwnerNo owner_;
  const StreamNo stream_;
  const StaleRecord& record_;
  StreamWords words_;
  ValueId set_ = 0;
  TextCursor cursor_;
  std::optional<Done> done_;  // by previous runs
  std::vector<PendingPassage> pending_;
  std::size_t pending_bytes_ = 0;
  bool skip_next_ = false;  // the next passage is already in the index
  bool stopped_ = false;    // out of time, or another process has taken over
};

Result<bool> LongReindex::unchanged(Connection& connection) {
  if (words_.epoch != 0) {
    LADDER_TRY(const StreamWords now, load_stream_words(connection, stream_));
    if (now.epoch != words_.epoch) return false;
  }
  Statement row = connection.use(Sql::kRecordWords);
  LADDER_TRY(const bool found, row.integer(1, record_.no).step());
  return found && row.integer_at(0) == record_.state.mask && row.integer_at(1) == record_.state.text &&
         row.integer_at(2) == record_.first_value;
}

Result<bool> LongReindex::begin() {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner_);
  LADDER_TRY(const bool same, unchanged(*transaction));
  if (!same) return false;
  LADDER_TRY(words_, load_stream_words(*transaction, stream_));
  ValueId other = 0;
  {
    Statement row = transaction->use(Sql::kStagedUser);
    LADDER_TRY(const bool found, row.integer(1, record_.first_value).integer(2, words_.epoch).step());
    if (found) other = row.integer_at(0);
  }
  LADDER_TRY(set_, take_numbers(*transaction, OwnerCounter::kValues, 1));
  LADDER_CHECK(transaction->use(Sql::kAddLoose)
                   .integer(1, set_)
                   .integer(2, 1)
                   .integer(3, static_cast<std::int64_t>(LooseState::kStaged))
                   .integer(4, Clock::system().now())
                   .integer(5, words_.epoch)
                   .integer(6, record_.first_value)
                   .run());
  if (other != 0) LADDER_CHECK(take_over(*transaction, other));
  LADDER_CHECK(transaction.commit());
  return true;
}

// Moves the texts to this run's set. If the other run is still active, it finds its set gone and stops.
Status LongReindex::take_over(Connection& connection, ValueId other) {
  LADDER_CHECK(connection.use(Sql::kMoveTexts).integer(1, other).integer(2, set_).run());
  LADDER_CHECK(connection.use(Sql::kAttachStaged).integer(1, other).integer(2, 1).run());
  {
    Statement row = connection.use(Sql::kTextsOfLoose);
    LADDER_TRY(const bool found, row.integer(1, set_).step());
    if (!found || row.is_null(0)) return {};
    cursor_.first = row.integer_at(0);
    cursor_.text = row.integer_at(1);
  }
  Statement row = connection.use(Sql::kLastPassage);
  LADDER_TRY(const bool found, row.integer(1, first_row(cursor_.text)).integer(2, short_row(cursor_.text, 0) - 1).step());
  if (!found) return fail(Code::kInternal, "a text that was begun has no passages");
  cursor_.next = row.integer_at(0) - first_row(cursor_.text) + 1;
  done_ = Done{row.integer_at(1), row.integer_at(3)};
  return {};
}

Status LongReindex::keep(const SearchedText& text, std::int64_t from, text::Passage passage) {
  if (std::exchange(skip_next_, false)) return {};
  passage.start += from;
  passage.end += from;
  pending_bytes_ += passage.words.size();
  pending_.push_back({text.ref->id, text.column, std::move(passage)});
  return {};
}

Status LongReindex::index(const SearchedText& text, std::int64_t from, Deadline deadline) {
  text::PassageCutter cutter([&](text::Passage&& passage) { return keep(text, from, std::move(passage)); });
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take(owner_));
  ChunkReader chunks(*reader, *text.ref, from);
  for (std::string piece; !stopped_;) {
    auto more = chunks.next(piece);
    if (!more || !*more) break;  // a missing chunk means that the record has changed, which attach() detects
    LADDER_CHECK(cutter.feed(piece));
    if (pending_bytes_ < kMaxBatchWordBytes) continue;
    LADDER_CHECK(flush());
    stopped_ |= deadline.passed();
  }
  return stopped_ ? Status{} : cutter.finish();
}

// Writes the pending passages in as many transactions as needed. They are short because few passages are buffered.
Status LongReindex::flush() {
  while (!pending_.empty() && !stopped_) {
    LADDER_TRY(WriteTransaction transaction, writer_.begin());
    transaction.set_owner(owner_);
    LADDER_CHECK(transaction->use(Sql::kTouchStaged).integer(1, set_).integer(2, Clock::system().now()).run());
    if (transaction->rows_changed() != 1) {
      stopped_ = true;
      return {};
    }
    WordRows rows(*transaction);
    LADDER_CHECK(rows.begin(words_.owner));
    TextWriter writer(*transaction, rows, stream_, {.record = 0, .loose = set_});
    TextCursor cursor = cursor_;
    std::size_t written = 0;
    while (written < pending_.size() && !(written > 0 && transaction.time_is_up())) {
      const PendingPassage& next = pending_[written++];
      LADDER_CHECK(writer.add(cursor, next.value, next.column, next.passage));
    }
    LADDER_CHECK(rows.save());
    LADDER_CHECK(transaction.commit_bulk());
    cursor_ = cursor;
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(written));
  }
  pending_bytes_ = 0;
  return {};
}

Status LongReindex::attach() {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  transaction.set_owner(owner_);
  LADDER_TRY(const bool same, unchanged(*transaction));
  if (!same) {
    LADDER_CHECK(transaction->use(Sql::kKillStaged).integer(1, set_).integer(2, Clock::system().now()).run());
    return transaction.commit();
  }
  LADDER_CHECK(transaction->use(Sql::kAttachStaged).integer(1, set_).integer(2, 1).run());
  if (transaction->rows_changed() != 1) return {};  // swept or taken over; the record is reindexed later
  WordRows rows(*transaction);
  LADDER_CHECK(rows.begin(words_.owner));
  LADDER_CHECK(retire_words(*transaction, rows, words_, record_));
  LADDER_CHECK(transaction->use(Sql::kShowTexts).integer(1, set_).integer(2, record_.no).run());
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(words_.texts(record_.body, words_.mask)));
  if (cursor_.first == 0 && fit_one_row(passages)) {
    LADDER_CHECK(rows.add(first_row(record_.no), one_row(std::move(passages))));
  } else {
    TextWriter writer(*transaction, rows, stream_, {.record = record_.no, .loose = 0});
    if (cursor_.first == 0) LADDER_CHECK(writer.begin(cursor_));
    LADDER_CHECK(add_short_rows(*transaction, rows, cursor_.first, std::move(passages)));
  }
  LADDER_CHECK(rows.save());
  LADDER_CHECK(
      transaction->use(Sql::kSetRecordWords).integer(1, record_.no).integer(2, words_.mask).integer(3, cursor_.first).run());
  return transaction.commit_bulk();
}

Result<bool> LongReindex::run(Deadline deadline) {
  LADDER_TRY(const bool begun, begin());
  if (!begun) return true;
  for (const SearchedText& text : words_.texts(record_.body, words_.mask)) {
    if (!text.ref) continue;
    std::int64_t from = 0;
    if (done_) {
      if (done_->value != text.ref->id) continue;  // all of it is done
      from = done_->start;
      skip_next_ = true;
      done_.reset();
    }
    LADDER_CHECK(index(text, from, deadline));
    LADDER_CHECK(flush());
    if (stopped_) return false;
  }
  LADDER_CHECK(attach());
  return true;
}

}  // namespace

Result<bool> reindex_long(Writer& writer, ReaderPool& readers, OwnerNo owner, StreamNo stream, const StaleRecord& record,
                          Deadline deadline) {
  return LongReindex(writer, readers, owner, stream, record).run(deadline);
}

}  // namespace ladder::store::sqlite

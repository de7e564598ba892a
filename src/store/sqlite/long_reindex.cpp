// Bringing a record with a very long text into other columns: its passages are written in short steps under a number that nobody
// sees, with a lease like that of any staged value, and one more step makes them the record's. Whoever comes to the record again
// goes on where the last one stopped.
#include "store/sqlite/store_impl.h"
#include "store/sqlite/word_reindex.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

class LongReindex {
 public:
  LongReindex(Writer& writer, ReaderPool& readers, StreamNo stream, const StaleRecord& record)
      : writer_(writer), readers_(readers), stream_(stream), record_(record) {}

  Result<bool> run(Deadline deadline);

 private:
  struct PendingPassage {
    ValueId value = 0;
    int column = 0;
    Passage passage;
  };
  struct Done {
    ValueId value = 0;
    std::int64_t start = 0;  // of the last passage that is written
  };

  Result<bool> begin();                            // false: the record is not as it was
  Result<bool> unchanged(Connection& connection);  // the record, and the columns
  Status take_over(Connection& connection, ValueId other);
  Status index(const SearchedText& text, std::int64_t from, Deadline deadline);
  Status keep(const SearchedText& text, std::int64_t from, Passage passage);
  Status flush();
  Status attach();

  Writer& writer_;
  ReaderPool& readers_;
  const StreamNo stream_;
  const StaleRecord& record_;
  StreamWords words_;
  ValueId set_ = 0;
  TextCursor cursor_;
  std::optional<Done> done_;  // by those before
  std::vector<PendingPassage> pending_;
  std::size_t pending_bytes_ = 0;
  bool again_ = false;    // the next passage is in the index already
  bool stopped_ = false;  // the time is over, or somebody else goes on
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
  LADDER_TRY(const bool same, unchanged(*transaction));
  if (!same) return false;
  LADDER_TRY(words_, load_stream_words(*transaction, stream_));
  ValueId other = 0;
  {
    Statement row = transaction->use(Sql::kStagedUser);
    LADDER_TRY(const bool found, row.integer(1, record_.first_value).integer(2, words_.epoch).step());
    if (found) other = row.integer_at(0);
  }
  LADDER_TRY(set_, take_numbers(*transaction, "next_value", 1));
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

// Under a set of our own: the other one, should it still be at work, finds that its own is gone.
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

Status LongReindex::keep(const SearchedText& text, std::int64_t from, Passage passage) {
  if (std::exchange(again_, false)) return {};
  passage.start += from;
  passage.end += from;
  pending_bytes_ += passage.words.size();
  pending_.push_back({text.ref->id, text.column, std::move(passage)});
  return {};
}

Status LongReindex::index(const SearchedText& text, std::int64_t from, Deadline deadline) {
  PassageCutter cutter([&](Passage&& passage) { return keep(text, from, std::move(passage)); });
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  ChunkReader chunks(*reader, *text.ref, from);
  for (std::string piece; !stopped_;) {
    auto more = chunks.next(piece);
    if (!more || !*more) break;  // a part that is missing was the record's: it is not as it was, which attach() finds
    LADDER_CHECK(cutter.feed(piece));
    if (pending_bytes_ < kMostWordBytes) continue;
    LADDER_CHECK(flush());
    stopped_ |= deadline.passed();
  }
  return stopped_ ? Status{} : cutter.finish();
}

// In as many transactions as it takes; these are short since little is kept.
Status LongReindex::flush() {
  while (!pending_.empty() && !stopped_) {
    LADDER_TRY(WriteTransaction transaction, writer_.begin());
    LADDER_CHECK(transaction->use(Sql::kTouchStaged).integer(1, set_).integer(2, Clock::system().now()).run());
    if (transaction->rows_changed() != 1) {
      stopped_ = true;
      return {};
    }
    WordRows rows(*transaction);
    TextWriter writer(*transaction, rows, stream_, {.record = 0, .loose = set_});
    TextCursor cursor = cursor_;
    std::size_t written = 0;
    while (written < pending_.size() && !(written > 0 && transaction.used_up())) {
      const PendingPassage& next = pending_[written++];
      LADDER_CHECK(writer.add(cursor, next.value, next.column, next.passage));
      LADDER_CHECK(rows.flush());
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
  LADDER_TRY(const bool same, unchanged(*transaction));
  if (!same) {
    LADDER_CHECK(transaction->use(Sql::kKillStaged).integer(1, set_).integer(2, Clock::system().now()).run());
    return transaction.commit();
  }
  LADDER_CHECK(transaction->use(Sql::kAttachStaged).integer(1, set_).integer(2, 1).run());
  if (transaction->rows_changed() != 1) return {};  // swept, or somebody else's: the record has its turn again
  WordRows rows(*transaction);
  LADDER_CHECK(retire_words(*transaction, rows, words_, record_));
  LADDER_CHECK(transaction->use(Sql::kShowTexts).integer(1, set_).integer(2, record_.no).run());
  LADDER_TRY(std::vector<ShortPassage> passages, short_passages(words_.texts(record_.body, words_.mask)));
  if (cursor_.first == 0 && fit_one_row(passages)) {
    LADDER_CHECK(rows.add(record_row(record_.no), one_row(std::move(passages))));
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
      again_ = true;
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

Result<bool> reindex_long(Writer& writer, ReaderPool& readers, StreamNo stream, const StaleRecord& record, Deadline deadline) {
  return LongReindex(writer, readers, stream, record).run(deadline);
}

}  // namespace ladder::store::sqlite

// Bringing records into indexes that came after them: in the order of their keys, a few milliseconds at a time. Between two steps
// writers keep up what lies at or before the key that was reached, and leave alone what lies after it, so nothing counts twice.
// word_reindex.cpp does the same for words.
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/index_writer.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/search/word_tables.h"
#include "store/sqlite/upkeep/word_reindex.h"

namespace ladder::store::sqlite {
namespace {

// Indexes of one stream that have come equally far: they go on together.
struct Unready {
  StreamNo stream = 0;
  std::string upto;
};

Result<std::optional<Unready>> next_unready(Connection& connection) {
  Statement row = connection.use(Sql::kUnreadyIndex);
  LADDER_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  return Unready{row.integer_at(0), row.string_at(1)};
}

Result<std::vector<IndexSpec>> unready_indexes(Connection& connection, const Unready& at) {
  LADDER_TRY(std::vector<IndexSpec> indexes, load_indexes(connection, at.stream));
  std::erase_if(indexes, [&](const IndexSpec& index) { return index.upto != at.upto; });
  for (IndexSpec& index : indexes) index.upto.reset();  // which records are their turn is decided here
  return indexes;
}

// As many records as fit the transaction, but one in any case; the last key, or nothing when the stream has come to its end.
Result<std::optional<std::string>> index_some(WriteTransaction& transaction, const Unready& at,
                                              std::span<const IndexSpec> indexes, Deadline deadline) {
  IndexWriter writer(*transaction);
  Statement rows = transaction->use(Sql::kRecordsToIndex);
  rows.integer(1, at.stream).blob(2, at.upto);
  std::optional<std::string> last;
  std::string body;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) {
      last.reset();
      break;
    }
    // One that cannot be read has no entries, as if it had no fields; `ladder doctor` names it.
    if (!read_body(rows, 3, 4, body)) body = "{}";
    LADDER_CHECK(writer.index(indexes, rows.integer_at(0), {rows.bytes_at(2), body}));
    last = rows.bytes_at(1);
    if (transaction.used_up() || deadline.passed()) break;
  }
  LADDER_CHECK(writer.save());
  return last;
}

Status move_on(Connection& connection, StreamNo stream, std::span<const IndexSpec> indexes,
               const std::optional<std::string>& upto) {
  for (const IndexSpec& index : indexes) {
    Statement set = connection.use(upto ? Sql::kSetIndexUpto : Sql::kSetIndexReady);
    set.integer(1, index.no);
    if (upto) set.blob(2, *upto);
    LADDER_CHECK(set.run());
  }
  if (upto) return {};
  return connection.use(Sql::kTouchCatalogOfStream).integer(1, stream).run();
}

Status reindex_once(Writer& writer, Deadline deadline) {
  LADDER_TRY(WriteTransaction transaction, writer.begin());
  LADDER_TRY(const std::optional<Unready> at, next_unready(*transaction));
  if (!at) return {};  // somebody else has finished
  LADDER_TRY(const std::vector<IndexSpec> indexes, unready_indexes(*transaction, *at));
  LADDER_TRY(const std::optional<std::string> last, index_some(transaction, *at, indexes, deadline));
  LADDER_CHECK(move_on(*transaction, at->stream, indexes, last));
  return transaction.commit_bulk();
}

}  // namespace

Result<bool> SqliteStore::reindex(Deadline deadline) {
  for (bool begun = false;; begun = true) {
    bool entries = false;
    bool words = false;
    {
      // A look without the writer queue: most find nothing.
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(const std::optional<Unready> at, next_unready(*reader));
      entries = at.has_value();
      LADDER_TRY(words, words_unready(*reader));
    }
    if (!entries && !words) return true;
    if (begun && deadline.passed()) return false;  // whoever asks often with little time still comes to an end
    LADDER_CHECK(entries ? reindex_once(writer_, deadline) : reindex_words(writer_, readers_, deadline));
  }
}

Status SqliteStore::empty_words() {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_CHECK(sqlite::empty_words(*transaction));
  return transaction.commit_bulk();
}

}  // namespace ladder::store::sqlite

// Adds existing records to new indexes, in key order, a few milliseconds at a time. Between two steps, writers maintain
// the entries of keys up to the last one reached and ignore later keys, so that nothing is counted twice.
// word_reindex.cpp does the same for words.
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/engine/word_tables.h"
#include "store/sqlite/records/index_writer.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/upkeep/word_reindex.h"

namespace ladder::store::sqlite {
namespace {

// The indexes of one stream that have reached the same key are built together.
struct Unready {
  OwnerNo owner = 0;
  StreamNo stream = 0;
  std::string upto;
};

Result<std::optional<Unready>> next_unready(Connection& connection) {
  Statement row = connection.use(Sql::kUnreadyIndex);
  LADDER_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  return Unready{row.integer_at(0), row.integer_at(1), row.string_at(2)};
}

Result<std::vector<IndexSpec>> unready_indexes(Connection& connection, const Unready& at) {
  LADDER_TRY(std::vector<IndexSpec> indexes, load_indexes(connection, at.stream));
  std::erase_if(indexes, [&](const IndexSpec& index) { return index.upto != at.upto; });
  for (IndexSpec& index : indexes) index.upto.reset();  // the caller decides which records to index
  return indexes;
}

// Indexes as many records as fit the transaction, but at least one. Returns the last key, or nullopt at the end of the stream.
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
    // An unreadable record has no entries, as if it had no fields; `ladder doctor` reports it.
    if (!read_body(rows, 3, 4, body)) body = "{}";
    LADDER_CHECK(writer.index(indexes, rows.integer_at(0), {rows.bytes_at(2), body}));
    last = rows.bytes_at(1);
    if (transaction.time_is_up() || deadline.passed()) break;
  }
  LADDER_CHECK(writer.save());
  return last;
}

Status advance(Connection& connection, std::span<const IndexSpec> indexes, const std::optional<std::string>& upto) {
  for (const IndexSpec& index : indexes) {
    Statement set = connection.use(upto ? Sql::kSetIndexUpto : Sql::kSetIndexReady);
    set.integer(1, index.no);
    if (upto) set.blob(2, *upto);
    LADDER_CHECK(set.run());
  }
  if (upto) return {};
  return connection.use(Sql::kTouchCatalog).integer(1, connection.owner()).run();
}

Status reindex_once(Writer& writer, Deadline deadline) {
  LADDER_TRY(WriteTransaction transaction, writer.begin());
  LADDER_TRY(const std::optional<Unready> at, next_unready(*transaction));
  if (!at) return {};  // another process has finished it
  transaction.set_owner(at->owner);
  LADDER_TRY(const std::vector<IndexSpec> indexes, unready_indexes(*transaction, *at));
  LADDER_TRY(const std::optional<std::string> last, index_some(transaction, *at, indexes, deadline));
  LADDER_CHECK(advance(*transaction, indexes, last));
  return transaction.commit_bulk();
}

}  // namespace

Result<bool> SqliteStore::reindex(Deadline deadline) {
  for (bool begun = false;; begun = true) {
    bool entries = false;
    bool words = false;
    {
      // First checks without the writer queue; usually there is nothing to do.
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(const std::optional<Unready> at, next_unready(*reader));
      entries = at.has_value();
      LADDER_TRY(words, words_unready(*reader));
    }
    if (!entries && !words) return true;
    if (begun && deadline.passed()) return false;  // always makes progress, even if each call has little time
    LADDER_CHECK(entries ? reindex_once(writer_, deadline) : reindex_words(writer_, readers_, deadline));
  }
}

Status SqliteStore::clear_word_index() {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  LADDER_CHECK(sqlite::clear_word_index(*transaction));
  return transaction.commit_bulk();
}

Result<std::int64_t> SqliteStore::records_without_words() {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take(0));
  return reader->read_integer(
      "SELECT count(*) FROM streams s JOIN records r ON r.owner_no = s.owner_no AND r.stream_no = s.stream_no AND r.key > "
      "s.words_upto");
}

}  // namespace ladder::store::sqlite

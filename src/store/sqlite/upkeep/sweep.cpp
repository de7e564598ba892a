// Removes values that no record refers to and their words, entries of dropped indexes, and expired tombstones, a few
// milliseconds at a time. Then it checkpoints and truncates the WAL, so that no deleted byte remains in the database or the log.
#include "store/sqlite/upkeep/sweep.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "store/index/field_versions.h"
#include "store/long_values/long_value.h"
#include "store/postings/posting_merge.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/search/posting_rows.h"

#include <sys/stat.h>
#include <thread>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;   // between two checks of the clock
constexpr std::int64_t kSetsAtOnce = 512;  // loose value sets per query
constexpr std::chrono::milliseconds kCutPause{20};
constexpr std::int64_t kPurgedAtOnce = 256;  // blocks of a transaction: some milliseconds

struct LooseSet {
  ValueId first = 0;
  std::int64_t count = 0;
  ValueId last() const { return first + count - 1; }
};

// Fetches many at once, because each query scans all sets for those that others use.
Result<std::vector<LooseSet>> next_loose(Connection& connection, std::int64_t limit) {
  std::vector<LooseSet> sets;
  Statement row = connection.use(Sql::kNextLoose);
  row.integer(1, limit);
  for (;;) {
    LADDER_TRY(const bool found, row.step());
    if (!found) return sets;
    sets.push_back({row.integer_at(0), row.integer_at(1)});
  }
}

// Drops some chunks of the set. Returns false when none was left.
Result<bool> drop_some_chunks(Connection& connection, const LooseSet& set) {
  LADDER_CHECK(connection.use(Sql::kDropSomeChunks).integer(1, set.first).integer(2, set.last()).integer(3, kRowsAtOnce).run());
  return connection.rows_changed() > 0;
}

Result<bool> drop_some_directory_pages(Connection& connection, const LooseSet& set) {
  std::vector<std::pair<ValueId, std::int64_t>> pages;
  {
    Statement rows = connection.use(Sql::kSomeDirectoryPages);
    rows.integer(1, set.first).integer(2, set.last()).integer(3, kRowsAtOnce);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      pages.emplace_back(rows.integer_at(0), rows.integer_at(1));
    }
  }
  for (const auto& [value, first] : pages) {
    LADDER_CHECK(connection.use(Sql::kDropDirectoryPage).integer(1, value).integer(2, first).run());
  }
  return !pages.empty();
}

// Drops as much of the set as fits the transaction. Returns true when all of it is gone.
Result<bool> drop_set(WriteTransaction& transaction, const LooseSet& set) {
  for (;;) {
    LADDER_TRY(const bool chunks, drop_some_chunks(*transaction, set));
    LADDER_TRY(const bool pages, drop_some_directory_pages(*transaction, set));
    if (!chunks && !pages) break;
    if (transaction.time_is_up()) return false;
  }
  LADDER_CHECK(transaction->use(Sql::kDropLoose).integer(1, set.first).run());
  return true;
}

// The time limits for rows that are due for removal.
struct Due {
  Instant abandoned_before = 0;
  Instant deleted_before = 0;
};

// Drops as many sets as fit the transaction. Returns the number of values removed.
Result<std::int64_t> drop_sets(WriteTransaction& transaction, const Due& due) {
  // Abandoned sets can't be attached any more, however many transactions their removal takes.
  LADDER_CHECK(transaction->use(Sql::kKillAbandoned).integer(1, due.abandoned_before).run());
  LADDER_CHECK(drop_dead_texts(transaction));
  LADDER_TRY(const bool words_left, dead_texts_due(*transaction));
  if (words_left) return 0;
  std::int64_t removed = 0;
  while (!transaction.time_is_up()) {
    LADDER_TRY(const auto sets, next_loose(*transaction, kSetsAtOnce));
    if (sets.empty()) break;
    for (const LooseSet& set : sets) {
      if (transaction.time_is_up()) break;
      LADDER_TRY(const bool gone, drop_set(transaction, set));
      if (gone) removed += set.count;
    }
  }
  return removed;
}

Result<std::optional<IndexNo>> next_dead_index(Connection& connection) {
  Statement row = connection.use(Sql::kNextDeadIndex);
  LADDER_TRY(const bool found, row.step());
  if (!found) return std::nullopt;
  return row.integer_at(0);
}

// Drops some rows of the index, or the index itself when it has none left.
Status drop_some_of(Connection& connection, IndexNo index) {
  for (const Sql rows : {Sql::kDropSomeEntries, Sql::kDropSomeDays}) {
    LADDER_CHECK(connection.use(rows).integer(1, index).integer(2, kRowsAtOnce).run());
    if (connection.rows_changed() > 0) return {};
  }
  return connection.use(Sql::kDropDeadIndex).integer(1, index).run();
}

Status drop_dead_indexes(WriteTransaction& transaction) {
  while (!transaction.time_is_up()) {
    LADDER_TRY(const std::optional<IndexNo> index, next_dead_index(*transaction));
    if (!index) break;
    LADDER_CHECK(drop_some_of(*transaction, *index));
  }
  return {};
}

struct Tombstone {
  RecordNo record = 0;
  StreamNo stream = 0;
  std::int64_t version = 0;
};

Result<std::optional<Tombstone>> next_old_tombstone(Connection& connection, Instant deleted_before) {
  Statement row = connection.use(Sql::kOldTombstone);
  LADDER_TRY(const bool found, row.integer(1, deleted_before).step());
  if (!found) return std::nullopt;
  return Tombstone{row.integer_at(0), row.integer_at(1), row.integer_at(2)};
}

Status drop_tombstones(WriteTransaction& transaction, const Due& due) {
  while (!transaction.time_is_up()) {
    LADDER_TRY(const std::optional<Tombstone> old, next_old_tombstone(*transaction, due.deleted_before));
    if (!old) break;
    LADDER_CHECK(transaction->use(Sql::kDropOldTombstone).integer(1, old->record).run());
    LADDER_CHECK(
        transaction->use(Sql::kDropChange).integer(1, old->stream).integer(2, kWholeRecord).integer(3, old->version).run());
  }
  return {};
}

Result<bool> any_abandoned(Connection& connection, const Due& due) {
  Statement row = connection.use(Sql::kAbandoned);
  return row.integer(1, due.abandoned_before).step();
}

Result<bool> has_work(Connection& connection, const Due& due) {
  LADDER_TRY(const bool abandoned, any_abandoned(connection, due));
  if (abandoned) return true;
  LADDER_TRY(const bool texts, dead_texts_due(connection));
  if (texts) return true;
  LADDER_TRY(const auto sets, next_loose(connection, 1));
  if (!sets.empty()) return true;
  LADDER_TRY(const std::optional<IndexNo> index, next_dead_index(connection));
  if (index) return true;
  LADDER_TRY(const std::optional<Tombstone> tombstone, next_old_tombstone(connection, due.deleted_before));
  return tombstone.has_value();
}

// Returns the next owner, after `after`, with rows to remove.
Result<std::optional<OwnerNo>> next_owner(Connection& connection, OwnerNo after, const Due& due) {
  std::vector<OwnerNo> owners;
  {
    Statement rows = connection.use(Sql::kOwnersAfter);
    rows.integer(1, after);
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      owners.push_back(rows.integer_at(0));
    }
  }
  for (const OwnerNo owner : owners) {
    connection.set_owner(owner);
    LADDER_TRY(const bool anything, has_work(connection, due));
    if (anything) return owner;
  }
  return std::nullopt;
}

// Runs one transaction. Returns the number of values removed.
Result<std::int64_t> sweep_once(Writer& writer, OwnerNo owner, const Due& due) {
  LADDER_TRY(WriteTransaction transaction, writer.begin(WriteKind::kErasing));
  transaction.set_owner(owner);
  LADDER_TRY(const std::int64_t removed, drop_sets(transaction, due));
  LADDER_CHECK(drop_dead_indexes(transaction));
  LADDER_CHECK(drop_tombstones(transaction, due));
  LADDER_CHECK(transaction.commit_bulk());
  return removed;
}

}  // namespace

Result<SweepReport> SqliteStore::sweep(Instant now, Deadline deadline) {
  reserve_.refill();
  SweepReport report;
  const Due due{now - limits::kStagingLeaseS * kSecond, now - limits::kTombstoneDays * kDay};
  for (OwnerNo swept = 0;;) {
    std::optional<OwnerNo> owner;
    {
      // First checks without the writer queue; most sweeps find nothing.
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(owner, next_owner(*reader, swept, due));
      if (!owner) break;
    }
    swept = *owner - 1;  // it may have more
    if (deadline.passed()) return report;
    LADDER_TRY(const std::int64_t removed, sweep_once(writer_, *owner, due));
    report.values_removed += removed;
  }
  LADDER_TRY(const bool purged, purge_words(deadline));
  if (!purged) return report;
  LADDER_TRY(const bool merged, merge_words(deadline, kMergeFrom));
  if (!merged) return report;
  struct stat log{};
  if (::stat((path_ + "-wal").c_str(), &log) != 0 || log.st_size == 0) {
    report.complete = true;
    return report;
  }
  for (;;) {
    LADDER_TRY(report.complete, writer_.truncate_log());
    if (report.complete || deadline.left() <= kCutPause) return report;
    std::this_thread::sleep_for(kCutPause);
  }
}

namespace {

constexpr std::int64_t kPassagesAtOnce = 8;  // between two checks of the clock

struct StoredPassage {
  WordRowId row = 0;
  ValueId value = 0;
  int column = 0;
  std::int64_t start = 0, end = 0;
};

// Returns 0 if there is none.
Result<TextNo> next_dead_text(Connection& connection) {
  Statement row = connection.use(Sql::kDeadText);
  LADDER_TRY(const bool found, row.step());
  return found ? row.integer_at(0) : 0;
}

Result<std::vector<StoredPassage>> some_passages(Connection& connection, TextNo text) {
  std::vector<StoredPassage> passages;
  Statement rows = connection.use(Sql::kPassagesBetween);
  rows.integer(1, first_row(text)).integer(2, last_row(text)).integer(3, kPassagesAtOnce);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return passages;
    passages.push_back(
        {rows.integer_at(0), rows.integer_at(1), static_cast<int>(rows.integer_at(2)), rows.integer_at(3), rows.integer_at(4)});
  }
}

// Returns whether the sweep removes the text's rows together with all others of its stream.
Result<bool> is_purged(Connection& connection, TextNo text) {
  Statement row = connection.use(Sql::kPurgeOfRow);
  return row.integer(1, connection.owner()).integer(2, first_row(text)).step();
}

// Drops some rows of the text, or the text itself when it has none left.
Status drop_some_of(Connection& connection, TextNo text, WordRows& rows, ValueTexts& values) {
  LADDER_TRY(const bool purged, is_purged(connection, text));
  if (purged) LADDER_CHECK(connection.use(Sql::kDropPassages).integer(1, first_row(text)).integer(2, last_row(text)).run());
  LADDER_TRY(const std::vector<StoredPassage> passages, some_passages(connection, text));
  if (passages.empty()) return connection.use(Sql::kDropText).integer(1, text).run();
  for (const StoredPassage& passage : passages) {
    LADDER_TRY(const std::string chars, values.chars(passage.value, passage.start, passage.end));
    LADDER_CHECK(rows.remove(passage.row, {{passage.column, words_of(chars)}}));
    LADDER_CHECK(connection.use(Sql::kDropPassage).integer(1, passage.row).run());
  }
  return {};
}

}  // namespace

Result<bool> dead_texts_due(Connection& connection) {
  LADDER_TRY(const TextNo text, next_dead_text(connection));
  return text != 0;
}

Status drop_dead_texts(WriteTransaction& transaction) {
  WordRows rows(*transaction);
  LADDER_CHECK(rows.begin(transaction->owner()));
  ValueTexts values(*transaction);
  while (!transaction.time_is_up() && rows.bytes_removed() < kMaxRemovedWordBytes) {
    LADDER_TRY(const TextNo text, next_dead_text(*transaction));
    if (text == 0) break;
    LADDER_CHECK(drop_some_of(*transaction, text, rows, values));
  }
  return rows.save();
}

// Every chunk but the last has the same number of characters, so the first chunk gives the chunk size.
Result<std::int64_t> ValueTexts::chunk_chars(ValueId value) {
  std::int64_t& chars = chunk_chars_[value];
  if (chars != 0) return chars;
  ChunkRows rows(connection_, value, 0, 0);
  LADDER_TRY(const bool row, rows.next());
  if (row) chars = utf8::count(rows.text());
  if (chars == 0) return fail(Code::kInternal, format("the text of value {} was removed before its words", value));
  return chars;
}

Result<std::string> ValueTexts::chars(ValueId value, std::int64_t start, std::int64_t end) {
  LongRef ref;
  LADDER_TRY(ref.chunk_chars, chunk_chars(value));
  const ChunkSpan span = chunk_span(ref, start, end);
  std::vector<std::string> chunks;
  ChunkRows rows(connection_, value, span.first, span.last);
  for (;;) {
    LADDER_TRY(const bool row, rows.next());
    if (!row) break;
    chunks.emplace_back(rows.text());
  }
  return cut_chars(ref, chunks, start, end);
}

namespace {

struct MergeDue {
  OwnerNo owner = 0;
  PostingMerge merge;
};

Result<std::vector<OwnerNo>> owners_with_words(Connection& connection) {
  std::vector<OwnerNo> owners;
  Statement rows = connection.use(Sql::kOwnersWithWords);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return owners;
    owners.push_back(rows.integer_at(0));
  }
}

Result<std::optional<MergeDue>> next_merge(Connection& connection, std::size_t from) {
  LADDER_TRY(const std::vector<OwnerNo> owners, owners_with_words(connection));
  for (const OwnerNo owner : owners) {
    LADDER_TRY(const std::vector<PostingSegment> segments, PostingRows(connection, owner).segments());
    if (auto merge = merge_due(segments, from)) return MergeDue{owner, *std::move(merge)};
  }
  return std::nullopt;
}

}  // namespace

namespace {

struct PurgeDue {
  OwnerNo owner = 0;
  PostingPurge purge;
};

// Collects ranges of one owner that have reached the same position.
Result<std::optional<PurgeDue>> next_purge(Connection& connection) {
  std::optional<PurgeDue> due;
  Statement rows = connection.use(Sql::kPurgesDue);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return due;
    const BlockPosition reached{rows.integer_at(3), rows.string_at(4)};
    if (!due) due = {rows.integer_at(0), {{}, reached}};
    if (due->owner != rows.integer_at(0) || due->purge.reached != reached) return due;
    due->purge.ranges.push_back({rows.integer_at(1), rows.integer_at(2)});
  }
}

Status save_purge(Connection& connection, const PurgeDue& due, bool complete) {
  for (const RowRange& range : due.purge.ranges) {
    Statement keep = connection.use(complete ? Sql::kDropPurge : Sql::kSetPurge);
    keep.integer(1, due.owner).integer(2, range.first);
    if (!complete) keep.integer(3, due.purge.reached.segment).blob(4, due.purge.reached.key);
    LADDER_CHECK(keep.run());
  }
  return {};
}

}  // namespace

Result<bool> SqliteStore::purge_words(Deadline deadline) {
  for (;;) {
    {
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(const std::optional<PurgeDue> due, next_purge(*reader));
      if (!due) return true;
    }
    if (deadline.passed()) return false;
    LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kErasing));
    LADDER_TRY(std::optional<PurgeDue> due, next_purge(*transaction));
    if (due) {
      PostingRows rows(*transaction, due->owner);
      LADDER_TRY(const bool complete, purge_some(rows, due->purge, kPurgedAtOnce));
      LADDER_CHECK(save_purge(*transaction, *due, complete));
    }
    LADDER_CHECK(transaction.commit_bulk());
  }
}

Result<bool> SqliteStore::tidy_words(Deadline deadline) { return merge_words(deadline, kTidyFrom); }

Result<bool> SqliteStore::merge_words(Deadline deadline, std::size_t from) {
  for (;;) {
    {
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(const std::optional<MergeDue> due, next_merge(*reader, from));
      if (!due) return true;
    }
    if (deadline.passed()) return false;
    LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kErasing));
    LADDER_TRY(const std::optional<MergeDue> due, next_merge(*transaction, from));
    if (due) {
      PostingRows rows(*transaction, due->owner);
      LADDER_TRY(const bool complete, merge_some(rows, due->merge, kMergedAtOnce));
      (void)complete;
    }
    LADDER_CHECK(transaction.commit_bulk());
  }
}

}  // namespace ladder::store::sqlite

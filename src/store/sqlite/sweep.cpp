// Removing values that nobody points at, a few milliseconds at a time, and then folding the log into the database and cutting it,
// so that no deleted byte is left in either.
#include "base/limits.h"
#include "store/sqlite/store_impl.h"

#include <sys/stat.h>

#include <thread>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // between two looks at the clock
constexpr std::chrono::milliseconds kCutPause{20};

struct LooseSet {
  ValueId first = 0;
  std::int64_t count = 0;
  ValueId last() const { return first + count - 1; }
};

Result<std::optional<LooseSet>> next_loose(Connection& connection, Instant abandoned_before) {
  Statement row = connection.use(Sql::kNextLoose);
  LADDER_TRY(const bool found, row.integer(1, abandoned_before).step());
  if (!found) return std::nullopt;
  return LooseSet{row.integer_at(0), row.integer_at(1)};
}

// Some chunks of the set; false when there were none left.
Result<bool> drop_some_chunks(Connection& connection, const LooseSet& set) {
  const std::int64_t first = chunk_row(set.first, 0);
  const std::int64_t last = chunk_row(set.last() + 1, 0) - 1;
  std::optional<std::int64_t> end;
  {
    Statement row = connection.use(Sql::kLastOfChunks);
    LADDER_TRY(const bool found, row.integer(1, first).integer(2, last).integer(3, kRowsAtOnce).step());
    if (found) end = row.maybe_integer_at(0);
  }
  if (!end) return false;
  LADDER_CHECK(connection.use(Sql::kDropChunks).integer(1, first).integer(2, *end).run());
  return true;
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

// As much of the set as fits the transaction; true when all of it is gone.
Result<bool> drop_set(WriteTransaction& transaction, const LooseSet& set) {
  // From here on the set cannot be attached any more, however many transactions its removal takes.
  LADDER_CHECK(transaction->use(Sql::kKillLoose).integer(1, set.first).run());
  for (;;) {
    LADDER_TRY(const bool chunks, drop_some_chunks(*transaction, set));
    LADDER_TRY(const bool pages, drop_some_directory_pages(*transaction, set));
    if (!chunks && !pages) break;
    if (transaction.used_up()) return false;
  }
  LADDER_CHECK(transaction->use(Sql::kDropLoose).integer(1, set.first).run());
  return true;
}

// One transaction's worth; how many values are gone with it.
Result<std::int64_t> sweep_once(Writer& writer, Instant abandoned_before) {
  LADDER_TRY(WriteTransaction transaction, writer.begin());
  std::int64_t removed = 0;
  while (!transaction.used_up()) {
    LADDER_TRY(const std::optional<LooseSet> set, next_loose(*transaction, abandoned_before));
    if (!set) break;
    LADDER_TRY(const bool gone, drop_set(transaction, *set));
    if (gone) removed += set->count;
  }
  LADDER_CHECK(transaction.commit_bulk());
  return removed;
}

}  // namespace

Result<SweepReport> SqliteStore::sweep(Instant now, Deadline deadline) {
  SweepReport report;
  const Instant abandoned_before = now - limits::kStagingLeaseS * kSecond;
  for (;;) {
    {
      // A look without the turnstile: most sweeps find nothing.
      LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
      LADDER_TRY(const std::optional<LooseSet> set, next_loose(*reader, abandoned_before));
      if (!set) break;
    }
    if (deadline.passed()) return report;
    LADDER_TRY(const std::int64_t removed, sweep_once(writer_, abandoned_before));
    report.values_removed += removed;
  }
  struct stat log{};
  if (::stat((path_ + "-wal").c_str(), &log) != 0 || log.st_size == 0) {
    report.complete = true;
    return report;
  }
  for (;;) {
    LADDER_TRY(report.complete, writer_.cut_log());
    if (report.complete || deadline.left() <= kCutPause) return report;
    std::this_thread::sleep_for(kCutPause);
  }
}

}  // namespace ladder::store::sqlite

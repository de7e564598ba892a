// Removes what is left of a connection after its records are erased, and releases the space. Like the sweep, it works a
// few milliseconds at a time, so that other writers never wait long.
#include "base/limits.h"
#include "base/text/format.h"
#include "store/index/field_versions.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/migrations.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/upkeep/free_pages.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kTombstonesAtOnce = 64;
constexpr std::chrono::milliseconds kReleaseSpan{10}, kReleasePause{5};
constexpr int kReleaseTries = 500;  // some seconds, enough for a reader that keeps the log in use to end

struct Tombstone {
  RecordNo record = 0;
  StreamNo stream = 0;
  std::int64_t version = 0;
};

Result<std::vector<Tombstone>> some_tombstones(Connection& connection, ConnectionNo of) {
  std::vector<Tombstone> tombstones;
  Statement rows = connection.prepare(
      "SELECT t.record_no, t.stream_no, t.version FROM streams s "
      "CROSS JOIN tombstones t ON t.owner_no = s.owner_no AND t.stream_no = s.stream_no "
      "WHERE s.owner_no = :owner AND s.connection_no = ?1 LIMIT ?2");
  rows.integer(1, of).integer(2, kTombstonesAtOnce);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return tombstones;
    tombstones.push_back({rows.integer_at(0), rows.integer_at(1), rows.integer_at(2)});
  }
}

// Drops as many as fit the transaction. Returns true when none is left.
Result<bool> drop_tombstones(WriteTransaction& transaction, ConnectionNo of) {
  while (!transaction.time_is_up()) {
    LADDER_TRY(const auto some, some_tombstones(*transaction, of));
    if (some.empty()) return true;
    for (const Tombstone& one : some) {
      LADDER_CHECK(transaction->use(Sql::kDropOldTombstone).integer(1, one.record).run());
      LADDER_CHECK(
          transaction->use(Sql::kDropChange).integer(1, one.stream).integer(2, kWholeRecord).integer(3, one.version).run());
    }
  }
  return false;
}

Result<bool> any(Connection& connection, const char* sql, ConnectionNo of) {
  Statement row = connection.prepare(sql);
  return row.integer(1, of).step();
}

Status run(Connection& connection, const char* sql, ConnectionNo of) { return connection.prepare(sql).integer(1, of).run(); }

#define LADDER_SQLITE_ITS_STREAMS "(SELECT stream_no FROM streams WHERE owner_no = :owner AND connection_no = ?1)"
#define LADDER_SQLITE_OF_ITS_STREAMS "WHERE owner_no = :owner AND stream_no IN " LADDER_SQLITE_ITS_STREAMS
#define LADDER_SQLITE_ITS_TEXTS                                                                                             \
  "number_blocks b CROSS JOIN texts t ON t.owner_no = b.owner_no AND t.text_no >= b.first_no AND t.text_no < b.first_no + " \
  "b.size "                                                                                                                 \
  "WHERE b.owner_no = :owner AND b.kind = 1 AND b.stream_no IN " LADDER_SQLITE_ITS_STREAMS

// Texts staged for this connection will never be attached, so the sweep may remove them now. Returns true when there are none.
Result<bool> no_texts_left(Connection& connection, ConnectionNo of) {
  LADDER_CHECK(run(connection,
                   "UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND state = 0 AND first_value IN "
                   "(SELECT t.loose FROM " LADDER_SQLITE_ITS_TEXTS ")",
                   of));
  LADDER_TRY(const bool left, any(connection, "SELECT 1 FROM " LADDER_SQLITE_ITS_TEXTS " LIMIT 1", of));
  return !left;
}

Status drop_rows(Connection& connection, OwnerNo owner, ConnectionNo of) {
  for (const char* sql :
       {"INSERT INTO dead_indexes(owner_no, index_no) SELECT owner_no, index_no FROM indexes " LADDER_SQLITE_OF_ITS_STREAMS,
        "DELETE FROM indexes " LADDER_SQLITE_OF_ITS_STREAMS, "DELETE FROM word_columns " LADDER_SQLITE_OF_ITS_STREAMS,
        "DELETE FROM number_blocks " LADDER_SQLITE_OF_ITS_STREAMS,
        "DELETE FROM imports WHERE owner_no = :owner AND connection_no = ?1",
        "DELETE FROM streams WHERE owner_no = :owner AND connection_no = ?1",
        "DELETE FROM connections WHERE owner_no = :owner AND connection_no = ?1"}) {
    LADDER_CHECK(run(connection, sql, of));
  }
  return connection.use(Sql::kTouchCatalog).integer(1, owner).run();
}

enum class Step : std::uint8_t { kMore, kLater, kDone };

Result<Step> drop_some(WriteTransaction& transaction, OwnerNo owner, ConnectionNo of) {
  LADDER_TRY(
      const bool records,
      any(*transaction, "SELECT 1 FROM streams WHERE owner_no = :owner AND connection_no = ?1 AND record_count > 0 LIMIT 1", of));
  if (records) return Step::kLater;
  LADDER_TRY(const bool tombstones_gone, drop_tombstones(transaction, of));
  if (!tombstones_gone) return Step::kMore;
  LADDER_TRY(const bool texts_gone, no_texts_left(*transaction, of));
  if (!texts_gone) return Step::kLater;
  LADDER_TRY(const bool purges, any(*transaction, "SELECT 1 FROM word_purges " LADDER_SQLITE_OF_ITS_STREAMS " LIMIT 1", of));
  if (purges) return Step::kLater;
  LADDER_CHECK(drop_rows(*transaction, owner, of));
  return Step::kDone;
}

// Returns the disk space of the file.
std::int64_t disk_bytes(const std::string& path) {
  constexpr std::int64_t kBlockBytes = 512;  // the unit of st_blocks on every disk
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_blocks * kBlockBytes : 0;
}

}  // namespace

Result<bool> SqliteStore::drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) {
  for (;;) {
    LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kErasing));
    transaction.set_owner(owner);
    LADDER_TRY(const Step step, drop_some(transaction, owner, connection));
    LADDER_CHECK(transaction.commit_bulk());
    if (step == Step::kDone) return true;
    if (step == Step::kLater || deadline.passed()) return false;
  }
}

Result<std::int64_t> SqliteStore::compact() {
  const std::int64_t before = disk_bytes(path_);
  int tries = 0;
  for (std::int64_t from = 0; from >= 0;) {
    LADDER_TRY(const std::optional<std::int64_t> next, writer_.release_free_pages(from));
    if (next) from = *next;
    else if (++tries == kReleaseTries) return fail(Code::kStoreUnavailable, "other programs are reading the store continuously");
    std::this_thread::sleep_for(kReleasePause);
  }
  return before - disk_bytes(path_);
}

Result<std::optional<std::int64_t>> Writer::release_free_pages(std::int64_t from) {
  checkpoint_outside_queue();
  LADDER_TRY(WriterQueue::Pass pass, enter());
  // The sweep has truncated the log. A log that keeps its size is faster to write, so this restarts it instead of truncating.
  LADDER_TRY(const bool emptied, empty_log_in_queue(SQLITE_CHECKPOINT_RESTART));
  if (!emptied) return std::nullopt;
  LADDER_CHECK(take_write_lock(usual_timeout()));
  auto next = punch_free_pages(*connection_, path_, from, Deadline::after(kReleaseSpan));
  connection_->roll_back();
  if (!next) return std::unexpected(std::move(next).error());
  return *next;
}

StoreFigures SqliteStore::figures() const {
  const auto size_of = [](const std::string& path) -> std::int64_t {
    std::error_code missing;  // the log may not exist
    const std::uintmax_t size = std::filesystem::file_size(path, missing);
    return missing ? 0 : static_cast<std::int64_t>(size);
  };
  const ReaderPool::Figures readers = readers_.figures();
  StoreFigures figures;
  figures.schema_version = newest_schema();
  figures.file_bytes = size_of(path_);
  figures.wal_bytes = size_of(path_ + "-wal");
  figures.connections_in_use = static_cast<std::int64_t>(readers.in_use);
  figures.connections_idle = static_cast<std::int64_t>(readers.idle);
  figures.waiting = static_cast<std::int64_t>(writer_.waiting());
  return figures;
}

Result<std::string> SqliteStore::describe() {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  LADDER_TRY(const std::int64_t schema, schema_version(*reader));
  return format("SQLite {}, schema {}", sqlite3_libversion(), schema);
}

}  // namespace ladder::store::sqlite

// Removes values that no record refers to, the rows of dropped indexes and expired tombstones in short transactions,
// and then vacuums the tables. A set of values is first marked dead, so that it can't be attached any more, however
// many transactions its removal takes.
#include "base/limits.h"
#include "base/text/format.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/upkeep/word_sweep.h"
#include "store/postings/posting_merge.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kSetsAtOnce = 64;
constexpr std::int64_t kRowsAtOnce = 2048;  // chunks of one transaction: some 10 ms
constexpr std::int64_t kTombstonesAtOnce = 512;

// A set whose chunks another set needs is swept after that one.
#define LADDER_PG_SWEEPABLE                                                                                                     \
  "(l.state = 1 OR l.touched_at < $1::bigint)"                                                                                  \
  " AND NOT EXISTS (SELECT FROM loose_values u WHERE u.owner_no = l.owner_no AND u.uses = l.first_value AND u.uses > 0 OFFSET " \
  "0)"
constexpr Statement kAnythingLoose{"SELECT owner_no FROM loose_values l WHERE " LADDER_PG_SWEEPABLE " LIMIT 1"};
constexpr Statement kLockLoose{
    "SELECT first_value, value_count FROM loose_values l WHERE l.owner_no = :owner AND " LADDER_PG_SWEEPABLE
    " ORDER BY first_value LIMIT $2::bigint FOR UPDATE OF l SKIP LOCKED"};
constexpr Statement kMarkDead{
    "UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND first_value = ANY ($1::bigint[]) AND state <> 1"};
// No writer changes the rows of a locked loose set, so their ctids stay valid.
constexpr Statement kDropChunks{R"(
  DELETE FROM chunks WHERE ctid = ANY (ARRAY(
    SELECT c.ctid
    FROM (SELECT unnest($1::bigint[]) AS first_value, unnest($2::bigint[]) AS value_count) AS s,
         LATERAL (SELECT ctid FROM chunks
                  WHERE owner_no = :owner AND value_id >= s.first_value AND value_id < s.first_value + s.value_count
                  ORDER BY value_id, chunk_no LIMIT $3::bigint) AS c
    LIMIT $3::bigint)))"};
constexpr Statement kDropPages{R"(
  DELETE FROM directory WHERE ctid = ANY (ARRAY(
    SELECT p.ctid
    FROM (SELECT unnest($1::bigint[]) AS first_value, unnest($2::bigint[]) AS value_count) AS s,
         LATERAL (SELECT ctid FROM directory
                  WHERE owner_no = :owner AND value_id >= s.first_value AND value_id < s.first_value + s.value_count
                  ORDER BY value_id, first_key LIMIT $3::bigint) AS p
    LIMIT $3::bigint)))"};
constexpr Statement kDropLoose{"DELETE FROM loose_values WHERE owner_no = :owner AND first_value = ANY ($1::bigint[])"};

// No writer changes rows of a dead index.
constexpr Statement kAnyDeadIndex{"SELECT owner_no FROM dead_indexes LIMIT 1"};
constexpr Statement kLockDeadIndex{
    "SELECT index_no FROM dead_indexes WHERE owner_no = :owner ORDER BY index_no LIMIT 1 FOR UPDATE SKIP LOCKED"};
constexpr Statement kDropEntries{
    "DELETE FROM index_entries WHERE ctid = ANY (ARRAY("
    "SELECT ctid FROM index_entries WHERE owner_no = :owner AND index_no = $1::bigint ORDER BY entry LIMIT $2::bigint))"};
constexpr Statement kDropDays{
    "DELETE FROM index_days WHERE ctid = ANY (ARRAY("
    "SELECT ctid FROM index_days WHERE owner_no = :owner AND index_no = $1::bigint ORDER BY day LIMIT $2::bigint))"};
constexpr Statement kDropDeadIndex{"DELETE FROM dead_indexes WHERE owner_no = :owner AND index_no = $1::bigint"};

constexpr Statement kAnyOldTombstone{
    "SELECT o.owner_no FROM owners o WHERE EXISTS"
    " (SELECT FROM tombstones t WHERE t.owner_no = o.owner_no AND t.deleted_at < $1::bigint) LIMIT 1"};
constexpr Statement kOldTombstones{
    "SELECT record_no, stream_no FROM tombstones WHERE owner_no = :owner AND deleted_at < $1::bigint ORDER BY deleted_at LIMIT "
    "$2::bigint"};
constexpr Statement kLockStreams{
    "SELECT stream_no FROM streams WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[]) ORDER BY stream_no FOR NO KEY "
    "UPDATE"};
// Drops only those that are still deleted; a record may have been added again.
constexpr Statement kDropTombstones{R"(
  WITH dropped AS (DELETE FROM tombstones WHERE owner_no = :owner AND record_no = ANY ($1::bigint[]) RETURNING stream_no, version)
  DELETE FROM changes WHERE ctid = ANY (ARRAY(
    SELECT c.ctid
    FROM dropped d,
         LATERAL (SELECT ctid FROM changes WHERE owner_no = :owner AND stream_no = d.stream_no AND field_no = 0 AND version = d.version OFFSET 0) AS c)))"};

constexpr Statement kTablesWithLeftovers{
    "SELECT relname::text FROM pg_catalog.pg_stat_user_tables WHERE schemaname = 'ladder' AND n_dead_tup > 0"};
constexpr Statement kSetStatementTimeout{"SELECT set_config('statement_timeout', ($1::bigint)::text, false)"};
constexpr std::string_view kTimedOut = "57014";

// The result of one transaction.
struct Swept {
  bool found = false;  // found work that no other program is doing
  std::int64_t values = 0;
};

Result<Swept> sweep_values(Connection& connection, Instant abandoned_before) {
  connection.begin();
  LADDER_TRY(const Rows sets, connection.run_one(kLockLoose, abandoned_before, kSetsAtOnce));
  if (sets.empty()) return Swept{};
  Int8Array first, count;
  std::int64_t values = 0;
  for (int row = 0; row < sets.size(); ++row) {
    first.add(sets.int8(row, 0));
    count.add(sets.int8(row, 1));
    values += sets.int8(row, 1);
  }
  connection.add(kMarkDead, first);
  LADDER_TRY(const bool words_left, drop_words(connection, first));
  if (words_left) {
    LADDER_TRY(const auto committed, connection.commit());
    return Swept{.found = true};
  }
  connection.add(kDropChunks, first, count, kRowsAtOnce);
  connection.add(kDropPages, first, count, kRowsAtOnce);
  LADDER_TRY(const auto dropped, connection.run());
  const std::size_t last = dropped.size() - 1;
  const bool all_gone = dropped[last - 1].affected() < kRowsAtOnce && dropped[last].affected() < kRowsAtOnce;
  if (all_gone) connection.add(kDropLoose, first);
  LADDER_TRY(const auto committed, connection.commit());
  return Swept{.found = true, .values = all_gone ? values : 0};
}

Result<Swept> sweep_dead_index(Connection& connection) {
  connection.begin();
  LADDER_TRY(const Rows dead, connection.run_one(kLockDeadIndex));
  if (dead.empty()) return Swept{};
  const IndexNo index = dead.int8(0, 0);
  connection.add(kDropEntries, index, kRowsAtOnce);
  connection.add(kDropDays, index, kRowsAtOnce);
  LADDER_TRY(const auto dropped, connection.run());
  const bool all_gone = dropped[0].affected() < kRowsAtOnce && dropped[1].affected() < kRowsAtOnce;
  if (all_gone) connection.add(kDropDeadIndex, index);
  LADDER_TRY(const auto committed, connection.commit());
  return Swept{.found = true};
}

Result<Swept> sweep_tombstones(Connection& connection, Instant deleted_before) {
  connection.begin();
  LADDER_TRY(const Rows old, connection.run_one(kOldTombstones, deleted_before, kTombstonesAtOnce));
  if (old.empty()) return Swept{};
  Int8Array numbers, streams;
  for (int row = 0; row < old.size(); ++row) {
    numbers.add(old.int8(row, 0));
    streams.add(old.int8(row, 1));
  }
  connection.add(kLockStreams, streams);
  connection.add(kDropTombstones, numbers);
  LADDER_TRY(const auto dropped, connection.commit());
  return Swept{.found = true};
}

// A kind of rows to sweep.
struct SweepTask {
  const Statement& query;  // returns an owner for whom there is work; its $1, if any, is `before`
  std::optional<Instant> before;
  std::function<Result<Swept>(Connection&)> sweep_once;
  std::vector<const char*> tables;
};

// Returns false when the deadline passed or another program works on the rest.
Result<bool> run_task(Pool& pool, const SweepTask& task, Deadline deadline, SweepReport& report, std::set<std::string>& tables) {
  for (;;) {
    LADDER_TRY(const Rows waiting, pool.run_across(Crossing::kUpkeep, [&](Connection& connection) {
      return task.before ? connection.run_one(task.query, *task.before) : connection.run_one(task.query);
    }));
    if (waiting.empty()) return true;
    if (deadline.passed()) return false;
    LADDER_TRY(const Swept swept, pool.run(waiting.int8(0, 0), task.sweep_once));
    if (!swept.found) return false;
    report.values_removed += swept.values;
    tables.insert(task.tables.begin(), task.tables.end());
  }
}

Status vacuum_table(Connection& connection, const std::string& table, milliseconds wait_limit) {
  LADDER_CHECK(connection.run_one(kSetStatementTimeout, wait_limit.count()));
  return connection.script(format("VACUUM (SKIP_LOCKED) ladder.{}", table), wait_limit + kAnswerTimeout);
}

// Returns false when the deadline passed. Uses its own connection, so that its short timeout affects no other statements.
Result<bool> vacuum(const Address& address, const std::set<std::string>& tables, Deadline deadline) {
  LADDER_TRY(const auto connection, Connection::open(address));
  for (const std::string& table : tables) {
    const milliseconds left = std::min(deadline.left(), kLongWorkTimeout);
    if (left.count() == 0) return false;
    Status done = vacuum_table(*connection, table, left);
    if (!done && connection->sqlstate() == kTimedOut) return false;
    LADDER_CHECK(done);
  }
  return true;
}

}  // namespace

Result<bool> PostgresStore::tidy_words(Deadline deadline) { return merge_words(pool_, deadline, kTidyFrom); }

Result<SweepReport> PostgresStore::sweep(Instant now, Deadline deadline) {
  const Instant abandoned_before = now - limits::kStagingLeaseS * kSecond;
  const Instant deleted_before = now - limits::kTombstoneDays * kDay;
  const SweepTask tasks[] = {
      {kAnythingLoose,
       abandoned_before,
       [&](Connection& connection) { return sweep_values(connection, abandoned_before); },
       {"chunks", "directory", "passages", "texts", "word_blocks", "word_segments", "loose_values"}},
      {kAnyDeadIndex, std::nullopt, sweep_dead_index, {"index_entries", "index_days", "dead_indexes"}},
      {kAnyOldTombstone,
       deleted_before,
       [&](Connection& connection) { return sweep_tombstones(connection, deleted_before); },
       {"tombstones", "changes"}},
  };
  SweepReport report;
  std::set<std::string> tables;
  for (const SweepTask& task : tasks) {
    LADDER_TRY(const bool done, run_task(pool_, task, deadline, report, tables));
    if (!done) return report;
  }
  LADDER_TRY(const bool merged, merge_words(pool_, deadline, kMergeFrom));
  if (!merged) return report;
  LADDER_TRY(const Rows leftovers, pool_.run([](Connection& connection) { return connection.run_one(kTablesWithLeftovers); }));
  for (int row = 0; row < leftovers.size(); ++row) tables.insert(leftovers.text(row, 0));
  report.complete = tables.empty();
  if (!tables.empty()) {
    LADDER_TRY(report.complete, vacuum(pool_.address(), tables, deadline));
  }
  return report;
}

}  // namespace ladder::store::postgres

// Removing values that nobody points at, in short transactions, and then what deleting left in the tables. A set that is being
// swept is marked dead first: from then on nothing can attach it, however many transactions its removal takes.
#include "base/format.h"
#include "base/limits.h"
#include "store/postgres/postgres_store.h"

#include <array>
#include <set>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kSetsAtOnce = 64;
constexpr std::int64_t kRowsAtOnce = 2048;  // chunks of one transaction: some 10 ms

#define LADDER_PG_SWEEPABLE "(state = 1 OR touched_at < $1::bigint)"
constexpr Statement kAnythingLoose{"SELECT first_value FROM loose_values WHERE " LADDER_PG_SWEEPABLE " LIMIT 1"};
constexpr Statement kLockLoose{"SELECT first_value, value_count FROM loose_values WHERE " LADDER_PG_SWEEPABLE
                               " ORDER BY first_value LIMIT $2::bigint FOR UPDATE SKIP LOCKED"};
constexpr Statement kMarkDead{"UPDATE loose_values SET state = 1 WHERE first_value = ANY ($1::bigint[]) AND state <> 1"};
// Nobody changes the rows of a locked loose set, so their places hold.
constexpr Statement kDropChunks{R"(
  DELETE FROM chunks WHERE ctid = ANY (ARRAY(
    SELECT c.ctid
    FROM (SELECT unnest($1::bigint[]) AS first_value, unnest($2::bigint[]) AS value_count) AS s,
         LATERAL (SELECT ctid FROM chunks
                  WHERE value_id >= s.first_value AND value_id < s.first_value + s.value_count
                  ORDER BY value_id, chunk_no LIMIT $3::bigint) AS c
    LIMIT $3::bigint)))"};
constexpr Statement kDropPages{R"(
  DELETE FROM directory WHERE ctid = ANY (ARRAY(
    SELECT p.ctid
    FROM (SELECT unnest($1::bigint[]) AS first_value, unnest($2::bigint[]) AS value_count) AS s,
         LATERAL (SELECT ctid FROM directory
                  WHERE value_id >= s.first_value AND value_id < s.first_value + s.value_count
                  ORDER BY value_id, first_key LIMIT $3::bigint) AS p
    LIMIT $3::bigint)))"};
constexpr Statement kDropLoose{"DELETE FROM loose_values WHERE first_value = ANY ($1::bigint[])"};

constexpr Statement kTablesWithLeftovers{
    "SELECT relname::text FROM pg_catalog.pg_stat_user_tables WHERE schemaname = 'ladder' AND n_dead_tup > 0"};
constexpr Statement kSetStatementTimeout{"SELECT set_config('statement_timeout', ($1::bigint)::text, false)"};
constexpr std::array kSweptTables = {"chunks", "directory", "loose_values"};
constexpr std::string_view kTimedOut = "57014";

// One transaction's worth. Tells how many values are gone with it, or nothing when there was nothing to do.
Result<std::optional<std::int64_t>> sweep_once(Connection& connection, Instant abandoned_before) {
  connection.begin();
  LADDER_TRY(const Rows sets, connection.run_one(kLockLoose, abandoned_before, kSetsAtOnce));
  if (sets.empty()) return std::nullopt;  // or others are at it
  Int8Array first, count;
  std::int64_t values = 0;
  for (int row = 0; row < sets.size(); ++row) {
    first.add(sets.int8(row, 0));
    count.add(sets.int8(row, 1));
    values += sets.int8(row, 1);
  }
  connection.add(kMarkDead, first);
  connection.add(kDropChunks, first, count, kRowsAtOnce);
  connection.add(kDropPages, first, count, kRowsAtOnce);
  LADDER_TRY(const auto dropped, connection.run());
  const bool all_gone = dropped[1].affected() < kRowsAtOnce && dropped[2].affected() < kRowsAtOnce;
  if (all_gone) connection.add(kDropLoose, first);
  LADDER_TRY(const auto committed, connection.commit());
  return all_gone ? values : 0;
}

// False when the time was over before the end.
Result<bool> vacuum(Connection& connection, const std::set<std::string>& tables, Deadline deadline) {
  bool complete = true;
  Status status;
  for (const std::string& table : tables) {
    const milliseconds left = std::min(deadline.left(), kLongWorkTimeout);
    if (left.count() == 0) complete = false;
    if (!complete || !status) break;
    LADDER_TRY(const Rows patience, connection.run_one(kSetStatementTimeout, left.count()));
    status = connection.script(format("VACUUM (SKIP_LOCKED) ladder.{}", table), left + kAnswerTimeout);
    if (!status && connection.sqlstate() == kTimedOut) {
      complete = false;
      status = {};
    }
  }
  LADDER_CHECK(status);
  LADDER_TRY(const Rows usual, connection.run_one(kSetStatementTimeout, kStatementTimeout.count()));
  return complete;
}

}  // namespace

Result<SweepReport> PostgresStore::sweep(Instant now, Deadline deadline) {
  SweepReport report;
  const Instant abandoned_before = now - limits::kStagingLeaseS * kSecond;
  std::set<std::string> tables;
  for (;;) {
    LADDER_TRY(const bool more, pool_.run([&](Connection& connection) -> Result<bool> {
      LADDER_TRY(const Rows loose, connection.run_one(kAnythingLoose, abandoned_before));
      return !loose.empty();
    }));
    if (!more) break;
    if (deadline.passed()) return report;
    LADDER_TRY(const auto removed, pool_.run([&](Connection& connection) { return sweep_once(connection, abandoned_before); }));
    if (!removed) return report;
    report.values_removed += *removed;
    tables.insert(kSweptTables.begin(), kSweptTables.end());
  }
  LADDER_TRY(report.complete, pool_.run([&](Connection& connection) -> Result<bool> {
    LADDER_TRY(const Rows leftovers, connection.run_one(kTablesWithLeftovers));
    for (int row = 0; row < leftovers.size(); ++row) tables.insert(leftovers.text(row, 0));
    return vacuum(connection, tables, deadline);
  }));
  return report;
}

}  // namespace ladder::store::postgres

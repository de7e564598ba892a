// Removes what is left of a connection after its records are erased, in short transactions, and releases the space.
#include "base/text/format.h"
#include "store/postgres/engine/migrations.h"
#include "store/postgres/engine/postgres_store.h"

#include <string>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kTombstonesAtOnce = 512;

constexpr Statement kTouchCatalog{"UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = $1::bigint"};

// In the order in which every writer locks them.
constexpr Statement kLockStreams{
    "SELECT stream_no, record_count FROM streams WHERE owner_no = :owner AND connection_no = $1::bigint ORDER BY stream_no FOR "
    "UPDATE"};
constexpr Statement kDropTombstones{R"(
  WITH few AS (SELECT ctid FROM tombstones WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[]) LIMIT $2::bigint),
       dropped AS (DELETE FROM tombstones WHERE ctid = ANY (ARRAY(SELECT ctid FROM few)) RETURNING stream_no, version),
       changed AS (DELETE FROM changes c USING dropped d
                   WHERE c.owner_no = :owner AND c.stream_no = d.stream_no AND c.field_no = 0 AND c.version = d.version)
  SELECT count(*) FROM dropped)"};
constexpr Statement kKillStaged{
    "UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND state = 0 AND stream_no = ANY ($1::bigint[])"};
constexpr Statement kKillIndexes{
    "WITH dropped AS (DELETE FROM indexes WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[]) RETURNING index_no)"
    " INSERT INTO dead_indexes (owner_no, index_no) SELECT :owner, index_no FROM dropped"};
constexpr Statement kDropColumns{"DELETE FROM word_columns WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[])"};
constexpr Statement kDropBlocks{"DELETE FROM number_blocks WHERE owner_no = :owner AND stream_no = ANY ($1::bigint[])"};
constexpr Statement kDropImports{"DELETE FROM imports WHERE owner_no = :owner AND connection_no = $1::bigint"};
constexpr Statement kDropStreams{"DELETE FROM streams WHERE owner_no = :owner AND connection_no = $1::bigint"};
constexpr Statement kDropConnection{"DELETE FROM connections WHERE owner_no = :owner AND connection_no = $1::bigint"};

constexpr Statement kTables{"SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = 'ladder' ORDER BY 1"};
constexpr Statement kBytes{
    "SELECT coalesce(sum(pg_total_relation_size(format('ladder.%I', tablename)::regclass)), 0)::bigint"
    " FROM pg_catalog.pg_tables WHERE schemaname = 'ladder'"};
constexpr Statement kMeasure{R"(
  SELECT (SELECT sum(pg_table_size(oid) + pg_indexes_size(oid))::bigint FROM pg_class
          WHERE relnamespace = 'ladder'::regnamespace AND relkind IN ('r', 'p')),
         count(*), max(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn))::bigint,
         (1000000 * extract(epoch FROM max(coalesce(replay_lag, interval '0'))))::bigint
  FROM pg_stat_replication WHERE state IS NULL OR state = 'streaming')"};
// Row-level security does not apply to a superuser.
constexpr Statement kServerVersion{
    "SELECT current_setting('server_version'), (SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = "
    "current_user)"};

enum class Step : std::uint8_t { kMore, kLater, kDone };

Result<Step> drop_some(Connection& connection, OwnerNo owner, ConnectionNo of) {
  connection.begin();
  LADDER_TRY(const Rows rows, connection.run_one(kLockStreams, of));
  Int8Array streams;
  for (int row = 0; row < rows.size(); ++row) {
    if (rows.int8(row, 1) > 0) {
      LADDER_CHECK(connection.rollback());
      return Step::kLater;
    }
    streams.add(rows.int8(row, 0));
  }
  LADDER_TRY(const Rows tombstones, connection.run_one(kDropTombstones, streams, kTombstonesAtOnce));
  if (tombstones.int8(0, 0) == kTombstonesAtOnce) {
    LADDER_TRY(const auto committed, connection.commit());
    return Step::kMore;
  }
  connection.add(kKillStaged, streams);
  connection.add(kKillIndexes, streams);
  connection.add(kDropColumns, streams);
  connection.add(kDropBlocks, streams);
  connection.add(kDropImports, of);
  connection.add(kDropStreams, of);
  connection.add(kDropConnection, of);
  connection.add(kTouchCatalog, owner);
  LADDER_TRY(const auto committed, connection.commit());
  return Step::kDone;
}

}  // namespace

Result<bool> PostgresStore::drop_connection(OwnerNo owner, ConnectionNo connection_no, Deadline deadline) {
  for (;;) {
    LADDER_TRY(const Step step,
               pool_.run(owner, [&](Connection& connection) { return drop_some(connection, owner, connection_no); }));
    if (step == Step::kDone) return true;
    if (step == Step::kLater || deadline.passed()) return false;
  }
}

// Plain VACUUM: free space at the end of a table is returned to the file system, the rest is reused. Reads and writes continue.
Result<std::int64_t> PostgresStore::compact() {
  LADDER_TRY(const auto connection, Connection::open(pool_.address()));
  LADDER_TRY(const Rows before, connection->run_one(kBytes));
  LADDER_TRY(const Rows tables, connection->run_one(kTables));
  for (int row = 0; row < tables.size(); ++row) {
    LADDER_CHECK(connection->script(format("VACUUM ladder.{}", tables.text(row, 0))));
  }
  LADDER_TRY(const Rows after, connection->run_one(kBytes));
  return before.int8(0, 0) - after.int8(0, 0);
}

StoreFigures PostgresStore::figures() const {
  const Pool::Figures pool = pool_.figures();
  StoreFigures figures;
  {
    const MutexLock lock(measured_mutex_);
    figures = measured_;
  }
  figures.schema_version = kSchemaVersion;
  figures.connections_max = static_cast<std::int64_t>(pool.max);
  figures.waits = pool.waits;
  figures.wait_us = pool.waited.count();
  figures.failed_waits = pool.failed_waits;
  figures.connections_in_use = static_cast<std::int64_t>(pool.in_use);
  figures.connections_idle = static_cast<std::int64_t>(pool.idle);
  figures.waiting = static_cast<std::int64_t>(pool.waiting);
  return figures;
}

// Without the rights of pg_monitor, a user does not see the positions of standbys.
Status PostgresStore::measure() {
  return pool_.read([&](Connection& connection) -> Status {
    LADDER_TRY(const Rows rows, connection.run_one(kMeasure));
    const MutexLock lock(measured_mutex_);
    measured_.server_bytes = rows.maybe_int8(0, 0);
    measured_.standbys = rows.maybe_int8(0, 1);
    measured_.lag_bytes = rows.maybe_int8(0, 2);
    measured_.lag_us = rows.maybe_int8(0, 3);
    return {};
  });
}

Result<std::string> PostgresStore::describe() {
  return pool_.read([&](Connection& connection) -> Result<std::string> {
    connection.begin();  // which checks the schema
    connection.add(kServerVersion);
    LADDER_TRY(const auto answers, connection.commit());
    const bool is_unwalled = answers.at(0).boolean(0, 1);
    return format("PostgreSQL {}, schema {}{}", answers.at(0).text(0, 0), kSchemaVersion,
                  is_unwalled ? "; row-level security does not apply to this user, so use one that is no superuser" : "");
  });
}

}  // namespace ladder::store::postgres

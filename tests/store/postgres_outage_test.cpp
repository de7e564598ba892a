// A PostgreSQL that stops, restarts, is slow, full or misconfigured: each gives a typed error with the remedy, no
// acknowledged write is lost, and the same Store object works again afterwards.
#include "postgres_scene.h"
#include "store/postgres/engine/pool.h"

#include <atomic>
#include <thread>

namespace ladder::store::postgres {
namespace {

using test_support::PostgresCluster;

std::string note(int number) { return format(R"({{"title":"note {}","body":"text"}})", number); }

// Terminates every other connection to the database.
void cut_off(const test_support::Database& database) {
  database.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
}

template <class T>
void expect_unavailable(const Result<T>& result, std::string_view part_of_message) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kStoreUnavailable);
  EXPECT_NE(result.error().message.find(part_of_message), std::string::npos) << result.error().message;
}

// Runs `body` before each row inserted into a table; next() counts across transactions, rolled back or not.
void add_trigger(const test_support::Database& database, const std::string& table, const std::string& body,
                 bool at_commit = false) {
  database.run(
      format("CREATE SEQUENCE ladder.trials; CREATE FUNCTION ladder.interfere() RETURNS trigger LANGUAGE plpgsql AS $$"
             " BEGIN {} RETURN NEW; END $$;",
             body));
  database.run(
      at_commit ? format("CREATE CONSTRAINT TRIGGER interfere AFTER INSERT ON ladder.{} DEFERRABLE INITIALLY DEFERRED"
                         " FOR EACH ROW EXECUTE FUNCTION ladder.interfere()",
                         table)
                : format("CREATE TRIGGER interfere BEFORE INSERT ON ladder.{} FOR EACH ROW EXECUTE FUNCTION ladder.interfere()",
                         table));
}

void remove_trigger(const test_support::Database& database) {
  database.run("DROP FUNCTION ladder.interfere() CASCADE; DROP SEQUENCE ladder.trials");
}

TEST(PostgresOutage, ARestartedServerIsUsedAgain) {
  for (const PostgresCluster::Stop how : {PostgresCluster::Stop::kFast, PostgresCluster::Stop::kCrash}) {
    PostgresCluster cluster;
    Scene scene(cluster);
    const WriteTarget target = scene.target();
    ASSERT_EQ(scene.put("1", note(1)), Outcome::kAdded);
    const std::unique_ptr<Reader> reader = must(scene.store().read(scene.owner().no));
    ASSERT_EQ(must(reader->counters(target.stream)).records, 1);
    cluster.stop(how);
    expect_unavailable(reader->counters(target.stream), "PostgreSQL cannot be reached");
    expect_unavailable(scene.store().owners(), "start the server");
    std::vector<RecordWrite> batch;
    batch.push_back(record_write(scene.store(), "2", note(2)));
    expect_unavailable(scene.store().write(target, batch, kNow), "start the server");
    cluster.start();
    EXPECT_EQ(must(reader->counters(target.stream)).records, 1);
    EXPECT_EQ(must(scene.store().write(target, batch, kNow)).at(0), Outcome::kAdded);
    EXPECT_EQ(must(reader->counters(target.stream)).records, 2);
    scene.expect_sound();
  }
}

TEST(PostgresOutage, ConnectionsCutWhileIdleAreReplacedUnnoticed) {
  Scene scene;
  std::vector<std::thread> threads;  // for several connections in the pool
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) must(scene.store().owners());
    });
  for (std::thread& thread : threads) thread.join();
  const WriteTarget target = scene.target();
  const ValueId value = must(scene.store().reserve_values(scene.owner().no, 4096));
  const std::vector<NewGrant> grants = {{.grant_id = "g", .client_id = "c", .body = "{}", .issued_at = kNow, .expires_at = {}}};
  const NewToken token{
      .hash = crypto::sha256("t"), .kind = TokenKind::kClient, .client_id = "c", .created_at = kNow, .expires_at = {}};

  cut_off(scene.database());
  EXPECT_EQ(must(scene.store().owners()).size(), 1u);
  cut_off(scene.database());
  EXPECT_EQ(scene.put("a", note(1)), Outcome::kAdded);
  cut_off(scene.database());
  const auto staging = must(scene.store().stage(scene.owner().no, value, 1, 0));
  cut_off(scene.database());
  must(staging->put_chunk(value, 0, "bytes"));
  must(staging->finish());
  cut_off(scene.database());
  must(scene.store().add_grants(scene.owner().no, grants, token));
  cut_off(scene.database());
  must(scene.store().revoke_grant(scene.owner().no, "g", kNow));
  cut_off(scene.database());
  EXPECT_TRUE(must(scene.store().find_token(token.hash)));
  cut_off(scene.database());
  must(scene.store().add_owner("another", kNow));
  cut_off(scene.database());
  must(scene.store().sweep(kNow, Deadline::never()));
  cut_off(scene.database());
  EXPECT_GT(must(scene.store().reserve_values(scene.owner().no, 5000)), value);
  scene.expect_sound();
}

TEST(PostgresOutage, ACommitOfUnknownOutcomeIsNotAcknowledgedAndMayBeRepeated) {
  Scene scene;
  const WriteTarget target = scene.target();
  add_trigger(scene.database(), "records",
              "IF nextval('ladder.trials') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;", true);
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(scene.store(), "a", note(1)));
  expect_unavailable(scene.store().write(target, batch, kNow), "the PostgreSQL server went away");
  EXPECT_EQ(must(scene.store().write(target, batch, kNow)).at(0), Outcome::kAdded);
  EXPECT_EQ(must(scene.store().write(target, batch, kNow)).at(0), Outcome::kUnchanged);
  remove_trigger(scene.database());
  scene.expect_sound();
}

TEST(PostgresOutage, ASerializationFailureIsRetriedOnce) {
  Scene scene;
  add_trigger(scene.database(), "records",
              "IF nextval('ladder.trials') = 1 THEN RAISE EXCEPTION 'busy' USING ERRCODE = '40P01'; END IF;");
  EXPECT_EQ(scene.put("a", note(1)), Outcome::kAdded);
  remove_trigger(scene.database());
  add_trigger(scene.database(), "records", "RAISE EXCEPTION 'busy' USING ERRCODE = '40001';");
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(scene.store(), "b", note(2)));
  expect_unavailable(scene.store().write(scene.target(), batch, kNow), "try again");
  remove_trigger(scene.database());
  EXPECT_FALSE(scene.find("b"));
  scene.expect_sound();
}

TEST(PostgresOutage, AFullDiskAndAReadOnlyServerNameTheRemedy) {
  Scene scene;
  const WriteTarget target = scene.target();
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(scene.store(), "a", note(1)));
  add_trigger(scene.database(), "changes", "RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';");
  expect_unavailable(scene.store().write(target, batch, kNow), "free some space");
  remove_trigger(scene.database());
  EXPECT_FALSE(scene.find("a"));
  scene.database().run(format("ALTER DATABASE \"{}\" SET default_transaction_read_only = on", scene.database().name()));
  cut_off(scene.database());
  expect_unavailable(scene.store().write(target, batch, kNow), "primary");
  // Opening a current store writes nothing, so it succeeds even now, in both modes.
  EXPECT_TRUE(open_postgres(scene.database().address(), OpenMode::kExisting));
  EXPECT_TRUE(open_postgres(scene.database().address(), OpenMode::kCreate));
}

TEST(PostgresOutage, AMigrationUnderARunningProgramStopsItsWrites) {
  Scene scene;
  const WriteTarget target = scene.target();
  ASSERT_EQ(scene.put("a", note(1)), Outcome::kAdded);
  scene.database().run("UPDATE ladder.meta SET value = '99' WHERE key = 'schema_version'");
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(scene.store(), "b", note(2)));
  expect_unavailable(scene.store().write(target, batch, kNow), "upgrade ladder");
  expect_unavailable(scene.store().add_owner("another", kNow), "schema 99");
  scene.database().run("UPDATE ladder.meta SET value = '1' WHERE key = 'schema_version'");
  EXPECT_FALSE(scene.find("b"));
  EXPECT_FALSE(must(scene.store().find_owner("another")));
}

// An ALTER TABLE invalidates prepared statements.
TEST(PostgresOutage, StatementsOverAChangedTableArePreparedAgain) {
  Scene scene;
  scene.put("a", note(1));
  const std::unique_ptr<Reader> reader = must(scene.store().read(scene.owner().no));
  const StreamNo stream = scene.target().stream;
  ASSERT_EQ(must(reader->counters(stream)).records, 1);
  scene.database().run("ALTER TABLE ladder.streams ALTER record_count TYPE numeric");
  scene.database().run("ALTER TABLE ladder.streams ALTER record_count TYPE bigint");
  EXPECT_EQ(must(reader->counters(stream)).records, 1);
  EXPECT_EQ(must(reader->page(stream, "", false, 10)).size(), 1u);
  scene.database().run("ALTER TABLE ladder.records ADD extra bigint");
  EXPECT_EQ(scene.put("a", note(2)), Outcome::kChanged);
}

TEST(PostgresOutage, WritersOfOneStreamTakeTurns) {
  Scene scene;
  const WriteTarget target = scene.target();
  constexpr int kThreads = 4, kBatches = 25, kRecords = 8;
  std::vector<std::thread> threads;
  std::atomic<int> added = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kBatches; ++i) {
        std::vector<RecordWrite> batch;
        for (int n = 0; n < kRecords; ++n)
          batch.push_back(record_write(scene.store(), format("{}", (thread * 7 + i * 3 + n) % 40), note(thread * 1000 + i)));
        for (const Outcome outcome : must(scene.store().write(target, batch, kNow))) added += outcome == Outcome::kAdded ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added, 40);
  EXPECT_EQ(must(must(scene.store().read(scene.owner().no))->counters(target.stream)).records, 40);
  scene.expect_sound();
}

TEST(PostgresPool, ServesInOrderAndGivesUpInTime) {
  Scene scene;
  Pool pool(must(Address::parse(scene.database().address())), {.connections = 1});
  std::vector<int> order;
  std::vector<std::thread> threads;
  {
    const Lease held = must(pool.lease());
    const Result<Lease> refused = pool.lease(Deadline::after(milliseconds(20)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        const Lease lease = must(pool.lease());
        order.push_back(i);  // one connection: one at a time
      });
      // Waits until it is queued, so that the next one comes after it.
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (pool.figures().waiting <= static_cast<std::size_t>(i) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(pool.open_connections(), 1u);
}

TEST(PostgresPool, ReturnsALeaseWithoutItsTransaction) {
  Scene scene;
  Pool pool(must(Address::parse(scene.database().address())), {.connections = 1});
  static constexpr Statement kBadStatement{"SELECT 1 / ($1::bigint)"};
  {
    const Lease lease = must(pool.lease());
    lease->begin();
    EXPECT_TRUE(lease->run());
    EXPECT_FALSE(lease->run_one(kBadStatement, 0));
  }
  const Lease lease = must(pool.lease());
  EXPECT_EQ(must(lease->run_one(kBadStatement, 1)).size(), 1);
}

// Sends far more in both directions than a socket buffers: neither side may wait for the other.
TEST(PostgresPool, ALargePipelineDoesNotStall) {
  Scene scene;
  Pool pool(must(Address::parse(scene.database().address())), {.connections = 1});
  static constexpr Statement kEcho{"SELECT $1::bytea"};
  const Lease lease = must(pool.lease());
  const std::string text(1 << 20, 'e');
  for (int i = 0; i < 32; ++i) lease->add(kEcho, text);
  const auto answers = must(lease->run());
  ASSERT_EQ(answers.size(), 32u);
  EXPECT_EQ(answers.back().bytes(0, 0), text);
}

}  // namespace
}  // namespace ladder::store::postgres

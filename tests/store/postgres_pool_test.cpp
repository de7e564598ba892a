// The pool of connections: unused and old ones are closed, callers share what a full server gives, and a store works with the
// fewest connections.
#include "postgres_scene.h"
#include "store/postgres/engine/pool.h"

#include <atomic>
#include <thread>

namespace ladder::store::postgres {
namespace {

constexpr Statement kOne{"SELECT 1::bigint"};

Address address_of(const Scene& scene, const std::string& user) {
  std::string text = scene.database().superuser_address();
  text.replace(text.find("postgres@"), 8, user);
  return must(Address::parse(text));
}

TEST(PostgresPoolLimits, ClosesUnusedConnections) {
  Scene scene;
  Pool pool(must(Address::parse(scene.database().address())), {.connections = 4, .idle = milliseconds(200)});
  {
    const Lease one = must(pool.lease()), two = must(pool.lease()), three = must(pool.lease());
  }
  EXPECT_EQ(pool.open_connections(), 3u);
  for (int n = 0; n < 10; ++n) {
    std::this_thread::sleep_for(milliseconds(50));
    const Lease used = must(pool.lease());  // always the most recently used one
  }
  EXPECT_EQ(pool.open_connections(), 1u);
}

TEST(PostgresPoolLimits, ReplacesOldConnections) {
  Scene scene;
  Pool pool(must(Address::parse(scene.database().address())), {.connections = 1, .age = milliseconds(1)});
  static constexpr Statement kProcess{"SELECT pg_backend_pid()::bigint"};
  const auto process = [&] {
    const Lease lease = must(pool.lease());
    return must(lease->run_one(kProcess)).int8(0, 0);
  };
  const std::int64_t first = process();
  std::this_thread::sleep_for(milliseconds(5));
  must(pool.lease());
  EXPECT_NE(process(), first);
}

// The server gives this user three connections; the pool would like twelve.
TEST(PostgresPoolLimits, CallersShareWhatAFullServerGives) {
  Scene scene;
  const std::string user = format("few_{}", scene.database().name());
  scene.database().run(format("CREATE ROLE {} LOGIN CONNECTION LIMIT 3", user));
  {
    Pool pool(address_of(scene, user), {.connections = 12});
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 12; ++thread) {
      threads.emplace_back([&] {
        for (int n = 0; n < 50; ++n) {
          const auto lease = pool.lease(Deadline::after(kReadTimeout));
          ASSERT_TRUE(lease) << lease.error().message;
          good += (*lease)->run_one(kOne) ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 600);
    EXPECT_LE(pool.open_connections(), 3u);
    EXPECT_GT(pool.figures().waits, 0);
    EXPECT_EQ(pool.figures().failed_waits, 0);

    const Lease one = must(pool.lease()), two = must(pool.lease()), three = must(pool.lease());
    const auto none = pool.lease(Deadline::after(milliseconds(50)));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Code::kStoreUnavailable);
    EXPECT_NE(none.error().message.find("enlarge the pool"), std::string::npos) << none.error().message;
  }
  scene.database().run("DROP ROLE " + user);
}

TEST(PostgresPoolLimits, AStoreWorksWithTheFewestConnections) {
  Scene scene;
  scene.put("seed", R"({"title":"seed","body":"text"})");
  const auto store = must(open_postgres(scene.database().address(), OpenMode::kExisting, {.connections = kFewestConnections}));
  constexpr int kThreads = 8, kBatches = 5;
  const WriteTarget target = scene.target();
  std::vector<std::thread> threads;
  std::atomic<int> added = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int n = 0; n < kBatches; ++n) {
        std::vector<RecordWrite> batch;
        batch.push_back(
            record_write(*store, format("{}-{}", thread, n), format(R"({{"title":"t","body":"{}"}})", std::string(9000, 'b'))));
        for (const Outcome outcome : must(store->write(target, batch, kNow))) added += outcome == Outcome::kAdded ? 1 : 0;
        const auto reader = must(store->read(scene.owner().no));
        EXPECT_FALSE(must(reader->page(target.stream, "", false, 10)).empty());
        must(store->owners());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  must(store->sweep(kNow, Deadline::never()));
  must(store->measure());
  EXPECT_EQ(added, kThreads * kBatches);
  EXPECT_LE(store->figures().connections_in_use + store->figures().connections_idle, 2);
  EXPECT_GT(store->figures().server_bytes.value_or(0), 0);
  EXPECT_EQ(store->figures().standbys, 0);
}

}  // namespace
}  // namespace ladder::store::postgres

// Several nodes on one PostgreSQL share budgets, and the ledger of a node that has disappeared. A server becomes a
// standby and a primary again.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "support/postgres_cluster.h"

#include <gtest/gtest.h>

#include <thread>

namespace ladder::nodes {
namespace {

using faults::Answer;
using faults::eventually;
using faults::Serving;
using test_support::PostgresCluster;

class Nodes : public ::testing::Test {
 protected:
  Nodes() : database_(PostgresCluster::shared().fresh_database()), owner_store_(database_->address()) {
    owner_store_.put_notes(10, std::string(1000, 'b'));
  }

  std::unique_ptr<test_support::Database> database_;
  faults::OwnerStore owner_store_;
};

TEST_F(Nodes, ShareOneBudget) {
  constexpr int kReads = 60;  // of 1,000 characters each, on two nodes at once
  const auto grant = owner_store_.grant();
  ASSERT_TRUE(owner_store_.server().ledger().set_budget(owner_store_.owner(), grant.grant_ids.front(), 20'000).has_value());
  const Serving one(database_->address()), other(database_->address());
  std::atomic<int> good = 0, refused = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&, client] {
      for (int n = 0; n < kReads / 4; ++n) {
        const Answer answer = (client % 2 == 0 ? one : other)
                                  .get(format("/v1/streams/notes/records/n{}/field-window?field=body", n % 10), grant.token);
        if (answer.status == 200) ++good;
        else if (answer.is(429, "rate_limit_exceeded")) ++refused;
        else ADD_FAILURE() << answer.summary();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good + refused, kReads);
  EXPECT_LE(good, 20);  // both nodes together
  EXPECT_GE(good, 12);  // the rest of a node's reservation is returned when it is idle
}

TEST_F(Nodes, KeepTheLedgerOfANodeWhoseDiskHasDisappeared) {
  const auto grant = owner_store_.grant();
  const test_support::ScratchFolder state, other_state;
  Serving disposable(database_->address(), std::chrono::seconds(60), {"--ledger", "store"},
                     {"XDG_STATE_HOME=" + state.path().string()});
  for (int n = 0; n < 10; ++n) ASSERT_EQ(disposable.get(format("/v1/streams/notes/records/n{}", n), grant.token).status, 200);
  disposable.kill_at_once();
  disposable.wait();
  const Serving survivor(database_->address(), std::chrono::seconds(60), {}, {"XDG_STATE_HOME=" + other_state.path().string()});
  const Answer ledger = survivor.get("/v1/ledger?limit=100", owner_store_.owner_token());
  ASSERT_EQ(ledger.status, 200) << ledger.summary();
  int entries = 0;
  for (std::size_t at = ledger.text.find("\"request_id\""); at != std::string::npos;
       at = ledger.text.find("\"request_id\"", at + 1))
    ++entries;
  EXPECT_EQ(entries, 10) << ledger.text;
}

// The entries of several nodes are swept by all of them at the same time, and each is counted once.
TEST_F(Nodes, SweepEachEntryOnce) {
  constexpr int kReads = 40;
  const auto grant = owner_store_.grant();
  {
    const Serving one(database_->address(), std::chrono::seconds(60), {"--ledger", "store"});
    const Serving other(database_->address(), std::chrono::seconds(60), {"--ledger", "store"});
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&, client] {
        for (int n = 0; n < kReads; ++n) {
          const Answer answer = (client % 2 == 0 ? one : other).get(format("/v1/streams/notes/records/n{}", n % 10), grant.token);
          EXPECT_EQ(answer.status, 200) << answer.summary();
        }
      });
    }
    for (std::thread& client : clients) client.join();
  }
  std::int64_t answers = 0;
  for (const auto& use : test_support::must(owner_store_.server().ledger().uses(owner_store_.owner(), 0, 1'000'000)))
    answers += use.answers;
  EXPECT_EQ(answers, 4 * kReads);
}

TEST(Standby, ANodeWhosePrimaryBecomesAStandbyRefusesUntilItIsPromoted) {
  PostgresCluster cluster;
  const auto database = cluster.fresh_database();
  std::string token;
  {
    faults::OwnerStore owner_store(database->address());
    owner_store.put_notes(3, "text");
    token = owner_store.grant().token;
  }
  const Serving serving(database->address());
  const auto read = [&] { return serving.get("/v1/streams/notes/records/n1", token); };
  ASSERT_EQ(read().status, 200);

  cluster.stop(PostgresCluster::Stop::kFast);
  cluster.become_standby();
  cluster.start();
  EXPECT_TRUE(eventually([&] { return serving.get("/readyz", "").text.find("is a standby") != std::string::npos; }))
      << serving.get("/readyz", "").summary();
  for (int n = 0; n < 5; ++n) {
    const Answer answer = read();
    EXPECT_TRUE(answer.is(503, "store_unavailable")) << answer.summary();
  }
  database->run("SELECT pg_promote()");
  EXPECT_TRUE(eventually([&] { return serving.get("/readyz", "").status == 200; }));
  EXPECT_EQ(read().status, 200);
}

TEST(Drain, AnswersWithReadyz503AndEndsConnections) {
  const auto database = PostgresCluster::shared().fresh_database();
  faults::OwnerStore owner_store(database->address());
  owner_store.put_notes(3, "text");
  const std::string token = owner_store.grant().token;
  Serving serving(database->address(), std::chrono::seconds(60), {"--drain-delay", "2"});
  ASSERT_EQ(serving.get("/readyz", "").status, 200);
  serving.ask_to_end();
  Answer ready;
  EXPECT_TRUE(eventually([&] { return (ready = serving.get("/readyz", "")).status == 503; }));
  EXPECT_TRUE(ready.is(503, "store_unavailable")) << ready.summary();
  EXPECT_NE(ready.text.find("stopping"), std::string::npos) << ready.summary();
  const Answer late = serving.get("/v1/streams/notes/records/n1", token);
  EXPECT_EQ(late.status, 200) << late.summary();
  EXPECT_EQ(serving.wait(), 0);
}

}  // namespace
}  // namespace ladder::nodes

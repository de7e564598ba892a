// PgBouncer before PostgreSQL: with sessions, a small pool serves many clients of several nodes; with transactions, Ladder
// refuses to start and says what to change.
#include "base/text/format.h"
#include "owner_store.h"
#include "programs.h"
#include "serving.h"
#include "support/postgres_cluster.h"

#include <gtest/gtest.h>

#include <thread>

namespace ladder::nodes {
namespace {

using faults::Answer;
using faults::Serving;
using test_support::PostgresCluster;

constexpr int kClients = 24;  // four times the pool

class PgBouncer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_programs({"/usr/sbin/pgbouncer"}); !missing.empty())
      GTEST_SKIP() << "not installed:" << missing;
    database_ = cluster_.fresh_database();
  }

  // Starts it for the fresh database; returns the address of the database through it.
  std::string start(const std::string& pool_mode, int pool_size) {
    const std::uint16_t port = free_port();
    const std::string users = folder_.put("userlist.txt", "\"postgres\" \"\"\n");
    const std::string socket = cluster_.address().substr(cluster_.address().find("host=") + 5);
    const std::string file =
        folder_.put("pgbouncer.ini",
                    shipped("pgbouncer.ini", {{"ladder = host=127.0.0.1 port=5000 dbname=ladder", format("* = host={}", socket)},
                                              {"listen_port = 6432", format("listen_port = {}", port)},
                                              {"auth_type = scram-sha-256", "auth_type = trust"},
                                              {"/etc/pgbouncer/userlist.txt", users},
                                              {"pool_mode = session", "pool_mode = " + pool_mode},
                                              {"default_pool_size = 40", format("default_pool_size = {}", pool_size)}}) +
                        "unix_socket_dir =\n");
    pooler_ = std::make_unique<Service>(folder_, "pgbouncer", std::vector<std::string>{"/usr/sbin/pgbouncer", file});
    std::string address = format("postgres://postgres@127.0.0.1:{}/{}", port, database_->name());
    EXPECT_TRUE(faults::eventually([&] { return ::system(format("pg_isready -q -h 127.0.0.1 -p {}", port).c_str()) == 0; }))
        << pooler_->log();
    return address;
  }

  PostgresCluster cluster_;
  std::unique_ptr<test_support::Database> database_;
  ServiceFolder folder_;
  std::unique_ptr<Service> pooler_;
};

TEST_F(PgBouncer, ASmallPoolOfSessionsServesManyClients) {
  std::string token;
  {
    faults::OwnerStore owner_store(database_->address());
    owner_store.put_notes(10, std::string(5000, 'b'));
    token = owner_store.grant().token;
  }
  const std::string address = start("session", 6);
  const Serving one(address), other(address);  // each may open more connections than the pool has
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int n = 0; n < kClients; ++n) {
    clients.emplace_back([&, n] {
      for (int request = 0; request < 20; ++request) {
        const Answer answer = (n % 2 == 0 ? one : other).get(format("/v1/streams/notes/records/n{}", request % 10), token);
        EXPECT_EQ(answer.status, 200) << answer.summary();
        EXPECT_LE(answer.took(), std::chrono::seconds(10));
        good += answer.status == 200 ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, kClients * 20);
}

TEST_F(PgBouncer, APoolOfTransactionsIsRefused) {
  {
    const faults::OwnerStore made(database_->address());
  }
  const std::string address = start("transaction", 6);
  const auto store = store::open_store(address, store::OpenMode::kExisting);
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, Code::kNotSetUp);
  EXPECT_NE(store.error().message.find("set pool_mode = session"), std::string::npos) << store.error().message;
  const auto served = test_support::run({LADDER_BINARY, "serve", "--db", address, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(served.exit_code, 78);
  EXPECT_NE(served.output.find("set pool_mode = session"), std::string::npos) << served.output;
}

}  // namespace
}  // namespace ladder::nodes

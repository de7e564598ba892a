// A PostgreSQL that accepts connections and never answers: requests fail with a typed error within their deadline, the
// readiness check answers, and everything works again when the server continues. A standby is refused, since its grants
// may be out of date.
#include "owner_store.h"
#include "serving.h"
#include "store/engines/open_store.h"
#include "support/postgres_cluster.h"

#include <string>
#include <thread>
#include <vector>

namespace ladder::faults {
namespace {

using test_support::PostgresCluster;

constexpr milliseconds kRequestDeadline = seconds(10);
constexpr milliseconds kReadyDeadline = seconds(2);
constexpr milliseconds kScheduling = milliseconds(500);  // allowance for a busy machine
constexpr int kClients = 40;                             // more than the server has workers and connections

struct Tokens {
  std::string client, owner;
};

Tokens fill(const std::string& address) {
  OwnerStore owner_store(address);
  owner_store.put_notes(10, std::string(5000, 'b'));
  return {owner_store.grant().token, owner_store.owner_token()};
}

// Sends all requests at once and returns the responses.
std::vector<Answer> ask_at_once(const Serving& serving, const Tokens& tokens) {
  const std::vector<std::string> targets = {"/v1/streams/notes/records/n1", "/v1/streams/notes/records?limit=3",
                                            "/v1/search?q=bbbb", "/v1/streams/notes/records/n2/field-window?field=body"};
  std::vector<Answer> answers(kClients);
  std::vector<std::thread> clients;
  for (std::size_t n = 0; n < answers.size(); ++n) {
    clients.emplace_back([&, n] { answers[n] = serving.get(targets[n % targets.size()], tokens.client); });
  }
  for (std::thread& client : clients) client.join();
  return answers;
}

TEST(FrozenPostgres, RequestsFailWithinTheirDeadlineAndRecover) {
  PostgresCluster cluster;
  const auto database = cluster.fresh_database();
  const Tokens tokens = fill(database->address());
  const Serving serving(database->address());
  for (const Answer& answer : ask_at_once(serving, tokens)) ASSERT_EQ(answer.status, 200) << answer.summary();

  cluster.freeze();
  for (int round = 0; round < 2; ++round) {
    std::thread ready([&] {
      const Answer answer = serving.get("/readyz", "");
      EXPECT_TRUE(answer.is(503, "store_unavailable")) << answer.summary();
      EXPECT_LE(answer.took(), kReadyDeadline + kScheduling);
    });
    for (const Answer& answer : ask_at_once(serving, tokens)) {
      EXPECT_TRUE(answer.is(503, "store_unavailable") || answer.is(429, "rate_limit_exceeded")) << answer.summary();
      EXPECT_LE(answer.took(), kRequestDeadline + kScheduling) << answer.summary();
    }
    ready.join();
  }
  EXPECT_EQ(serving.get("/healthz", "").status, 200) << "the process itself is alive";

  cluster.thaw();
  EXPECT_TRUE(eventually([&] { return serving.get("/readyz", "").status == 200; }));
  EXPECT_TRUE(eventually([&] { return serving.get("/v1/streams/notes/records/n1", tokens.client).status == 200; }));
}

TEST(StandbyPostgres, IsRefused) {
  PostgresCluster primary;
  const auto database = primary.fresh_database();
  fill(database->address());
  const auto standby = PostgresCluster::standby_of(primary);
  const std::string address = standby->address();
  const std::size_t options = address.find('?');
  const std::string standby_database = "postgres://postgres@/" + database->name() + address.substr(options);
  for (const std::string& extra : {std::string(), std::string("&target_session_attrs=any")}) {
    const auto store = store::open_store(standby_database + extra, store::OpenMode::kExisting);
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code, Code::kStoreUnavailable);
    EXPECT_NE(store.error().message.find("is a standby"), std::string::npos) << store.error().message;
  }
}

TEST(StandbyPostgres, IsSkippedForThePrimaryOfTheSameAddress) {
  PostgresCluster primary;
  const auto database = primary.fresh_database();
  const Tokens tokens = fill(database->address());
  const auto standby = PostgresCluster::standby_of(primary);
  const auto folder = [](const PostgresCluster& cluster) {
    return cluster.address().substr(cluster.address().find("host=") + 5);
  };
  const Serving serving("postgres://postgres@/" + database->name() + "?host=" + folder(*standby) + "," + folder(primary));
  EXPECT_EQ(serving.get("/v1/streams/notes/records/n1", tokens.client).status, 200);
  EXPECT_EQ(
      serving.send("POST", "/v1/ingest/notes?connection_id=work", tokens.owner, record_line("new", text_member("body", "b")))
          .status,
      200);
}

}  // namespace
}  // namespace ladder::faults

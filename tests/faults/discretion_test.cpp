// A running server discloses nothing extra: without the owner's token nothing about the database, no password in the
// process list, and the owner finds each requester in the log.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "support/postgres_cluster.h"
#include "support/store_fixture.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

namespace ladder::faults {
namespace {

using test_support::PostgresCluster;

std::string words_of(pid_t process) {
  std::ifstream file(format("/proc/{}/cmdline", process), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Discretion, ShowsNeitherDatabaseNorPassword) {
  PostgresCluster cluster;  // not shared: this test stops it
  const auto database = cluster.fresh_database();
  std::string token, owner_token;
  {
    OwnerStore owner_store(database->address());
    owner_store.put_notes(3, "text");
    token = owner_store.grant().token;
    owner_token = owner_store.owner_token();
  }
  std::string address = database->address();  // postgres://USER@/…
  ASSERT_NE(address.find('@'), std::string::npos);
  const std::string user = address.substr(address.find("//") + 2, address.find('@') - address.find("//") - 2);
  address.insert(address.find('@'), ":very-secret-word");
  const Serving serving(address);
  const std::string words = words_of(serving.pid());
  EXPECT_NE(words.find("serve"), std::string::npos) << "its words can be read";
  EXPECT_EQ(words.find("very-secret-word"), std::string::npos);
  ASSERT_EQ(serving.get("/v1/streams/notes/records/n1", token).status, 200);

  cluster.stop(PostgresCluster::Stop::kFast);
  const std::string folder = address.substr(address.find("host=") + 5);
  for (const std::string& who : {std::string(), token, owner_token}) {
    for (const std::string target : {"/readyz", "/v1/streams/notes/records/n1", "/v1/schema", "/v1/streams/notes/records"}) {
      const Answer answer = serving.get(target, who);
      if (answer.status == 401) continue;
      EXPECT_EQ(answer.status, 503) << target << ": " << answer.summary();
      for (const std::string& secret : {database->name(), user + "@", folder, std::string("very-secret-word")}) {
        EXPECT_EQ(answer.text.find(secret), std::string::npos) << target << " tells " << secret << ": " << answer.summary();
      }
    }
  }
  cluster.start();
}

TEST(Discretion, LogsTheClientAndItsGrant) {
  const test_support::StoreLocation place("sqlite");
  OwnerStore owner_store(place.location());
  owner_store.put_notes(3, "text");
  const server::IssuedGrants grant = owner_store.grant();
  const Serving serving(place.location());
  ASSERT_EQ(serving.get("/v1/streams/notes/records/n1", grant.token).status, 200);
  ASSERT_EQ(serving.get("/v1/streams/notes/records/n2", owner_store.owner_token()).status, 200);
  const std::string client = format(R"("client":"reader","grants":["{}"])", grant.grant_ids.front());
  const std::string owner = R"("owner":"local")";
  const auto said = [&](const std::string& what) {
    const auto log = serving.log();
    return std::ranges::any_of(log, [&](const std::string& line) { return line.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(eventually([&] { return said(client); }));
  EXPECT_TRUE(eventually([&] { return said(owner); }));
  EXPECT_FALSE(said(grant.token)) << "never the token";
  // After a refusal the server reads the token again to see whether the grant has ended.
  ASSERT_EQ(serving.get("/v1/streams/nosuch/records", grant.token).status, 403);
  EXPECT_TRUE(eventually([&] { return said(R"("status":403)"); }));
  EXPECT_FALSE(said(format(R"("{0}","{0}")", grant.grant_ids.front()))) << "each grant once";
}

TEST(Discretion, ShowsTheOwnerSoonThatAGrantIsUsed) {
  const test_support::StoreLocation place("sqlite");
  OwnerStore owner_store(place.location());
  owner_store.put_notes(3, "text");
  const server::IssuedGrants used = owner_store.grant(), unused = owner_store.grant();
  const auto last_use = [&](const server::IssuedGrants& grant) {
    return must(owner_store.server().grants().find(owner_store.owner(), grant.grant_ids.front())).row.last_used_at;
  };
  const Serving serving(place.location());
  ASSERT_EQ(serving.get("/v1/streams/notes/records/n1", used.token).status, 200);
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(milliseconds(100));
    return last_use(used).has_value();
  }));
  EXPECT_FALSE(last_use(unused));
}

}  // namespace
}  // namespace ladder::faults

// A newer Ladder migrates the store while this one serves it: this one refuses with the reason and loses nothing, and
// the newer one continues with all data. The test simulates the newer Ladder by its effect on the store: one more table
// and a higher schema version.
#include "base/text/format.h"
#include "owner.h"
#include "support/must.h"
#include "support/server_fixture.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <csignal>

namespace ladder::e2e {
namespace {

using Upgrade = EveryEngine;
LADDER_FOR_EVERY_ENGINE(Upgrade);

void set_schema(const Owner& owner, int schema) {
  if (owner.place().database())
    owner.place().run(format("UPDATE ladder.meta SET value = '{}' WHERE key = 'schema_version'", schema));
  else owner.place().run(format("UPDATE meta SET value = {} WHERE key = 'schema_version'", schema));
}

int schema_of(const Owner& owner) {
  const auto described = owner.place().open(store::OpenMode::kExisting)->describe();
  return std::stoi(described.value().substr(described.value().rfind(' ') + 1));
}

TEST_P(Upgrade, AnOldProcessReportsANewerStoreAndLosesNothing) {
  owner.set_up();
  owner.ingest(note("n1", "of before"));
  const int ours = schema_of(owner);
  Process server(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0", "--json"});
  const auto announced = server.read_line();
  ASSERT_TRUE(announced);
  const std::string url = text_at(boost::json::parse(*announced), "/url");
  EXPECT_EQ(owner.ladder({"health", url}).exit_code, 0);

  owner.place().run(format("CREATE TABLE {}of_the_future(x INTEGER)", owner.place().database() ? "ladder." : ""));
  set_schema(owner, ours + 1);
  const Outcome health = owner.ladder({"health", url});
  EXPECT_EQ(health.exit_code, 1) << "a service manager starts the newer one: " << health.summary();
  EXPECT_NE(health.out.find("503"), std::string::npos) << health.summary();
  EXPECT_NE(health.out.find("upgrade ladder"), std::string::npos) << "with the reason: " << health.summary();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"connection", "list"},
                                             {"init"},
                                             {"ingest", "--connection", "home", "--stream", "notes"},
                                             {"backup", owner.file("b")}}) {
    const Outcome refused = owner.ladder(words, note("n2", "of the old program"));
    EXPECT_EQ(refused.exit_code, 78) << words[0] << "\n" << refused.summary();
    EXPECT_NE(refused.err.find("upgrade ladder"), std::string::npos) << words[0] << "\n" << refused.summary();
    EXPECT_EQ(refused.err.find("ladder init creates"), std::string::npos) << words[0] << "\n" << refused.summary();
  }
  const Outcome doctor = owner.ladder({"doctor"});
  EXPECT_NE(doctor.out.find("install the newest Ladder"), std::string::npos) << doctor.summary();

  // The newer program only has to start; the old one stands in for it.
  set_schema(owner, ours);
  EXPECT_EQ(owner.ladder({"health", url}).exit_code, 0);
  owner.ingest(note("n2", "of after"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 0);
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text"), "of before");
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n2", "body"}), "/window/text"), "of after");
}

// A newer Ladder renamed columns, as schema 7 did: a process that uses the old names reports the remedy.
TEST_P(Upgrade, AnOldProcessWhoseColumnsAreGoneNamesTheRemedy) {
  owner.set_up();
  owner.ingest(note("n1", "of before"));
  const auto store = owner.place().open(store::OpenMode::kExisting);
  test_support::StillClock clock;
  server::ResourceServer server(*store, clock);
  const server::Access access = test_support::must(server.local_owner("local"));
  api::RecordsRequest request;
  request.stream = "notes";
  EXPECT_EQ(test_support::must(server.records(access, request)).records.size(), 1U);

  owner.place().run(
      format("ALTER TABLE {}records RENAME COLUMN stored_body TO of_the_future", owner.place().database() ? "ladder." : ""));
  set_schema(owner, schema_of(owner) + 1);
  const auto refused = server.records(access, request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the newest Ladder"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace ladder::e2e

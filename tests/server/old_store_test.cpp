// A store that an earlier Ladder made, before there was search: everything is still there, and its words are found. The scripts
// in old/ are dumps of stores that the program of that time filled: five letters, one of them long, one changed, and a sixth that
// was deleted.
#include "support/server_fixture.h"

#include <fstream>
#include <sstream>

namespace ladder {
namespace {

using test_support::must;

class OldStore : public ::testing::TestWithParam<std::string> {
 protected:
  OldStore() : place_(GetParam()) {
    std::ifstream file(std::string(LADDER_SOURCE_DIR) + "/tests/server/old/" + GetParam() + "_1.sql");
    std::stringstream script;
    script << file.rdbuf();
    place_.run(script.str());
  }

  static std::vector<std::string> found(server::ResourceServer& server, std::string words) {
    api::SearchRequest request;
    request.q = std::move(words);
    std::vector<std::string> ids;
    for (const api::SearchHit& hit : must(server.search(must(server.owner_at_machine("local")), request)).hits) {
      ids.push_back(hit.ref.record_id);
    }
    std::ranges::sort(ids);
    return ids;
  }

  test_support::StorePlace place_;
  test_support::StillClock clock_;
};
LADDER_FOR_EVERY_ENGINE(OldStore);

TEST_P(OldStore, AsksForItsMigrationAndIsLeftAlone) {
  for (int again = 0; again < 2; ++again) {
    const auto opened = store::open_store(place_.location(), store::OpenMode::kExisting);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Code::kNotSetUp);
    EXPECT_NE(opened.error().message.find("ladder init"), std::string::npos) << opened.error().message;
  }
}

TEST_P(OldStore, IsMigratedAndItsWordsAreFound) {
  const auto store = place_.open(store::OpenMode::kCreate);
  server::ResourceServer server(*store, clock_);
  must(server.renew_sources());
  const server::Access owner = must(server.owner_at_machine("local"));
  while (!must(server.reindex(owner, Deadline::after(std::chrono::seconds(2))))) {
  }
  EXPECT_TRUE(must(store->check_invariants()).empty());
  using Ids = std::vector<std::string>;
  EXPECT_EQ(found(server, "heron bridge"), Ids{"l4"});
  EXPECT_EQ(found(server, "river stone"), (Ids{"l1", "l2", "l3"}));
  EXPECT_EQ(found(server, "clouds"), Ids{"l5"});
  EXPECT_EQ(found(server, "letter"), (Ids{"l1", "l2", "l3", "l4", "l5"}));

  api::FieldWindowRequest window{{"home", "letters", "l4"}, "body", {}};
  window.window.offset_chars = 6'000;
  EXPECT_TRUE(must(server.field_window(owner, window)).text.ends_with("and the heron stood still."));
  api::RecordsRequest list;
  list.stream = "letters";
  list.count = api::CountKind::kExact;
  const api::RecordsPage page = must(server.records(owner, list));
  EXPECT_EQ(page.count.value, 5);
}

TEST_P(OldStore, KeepsItsKeysAndTakesWrites) {
  const auto store = place_.open(store::OpenMode::kCreate);
  ASSERT_EQ(store->seal_keys().size(), 1U);
  server::ResourceServer server(*store, clock_);
  must(server.renew_sources());
  const server::Access owner = must(server.owner_at_machine("local"));
  // A write between migration and reindexing.
  const std::string lines = test_support::record_line("l1", R"("subject":"anew","body":"Now of glaciers.")") +
                            test_support::record_line("l9", R"("subject":"new","body":"And of moss.")");
  test_support::TextSource bytes(lines);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  test_support::QuietObserver observer;
  EXPECT_EQ(must(server.ingest(owner, {"home", "letters"}, source, observer)).accepted, 2);
  while (!must(server.reindex(owner, Deadline::after(std::chrono::seconds(2))))) {
  }
  EXPECT_EQ(found(server, "glaciers"), std::vector<std::string>{"l1"});
  EXPECT_EQ(found(server, "moss"), std::vector<std::string>{"l9"});
  EXPECT_EQ(found(server, "river"), (std::vector<std::string>{"l2", "l3"}));
  EXPECT_TRUE(must(store->check_invariants()).empty());
}

// Between two releases stores of schema 1 were made that have words, and nothing of later steps.
TEST_P(OldStore, ThatHasWordsAlreadyIsTakenAsItIs) {
  const test_support::StorePlace other(GetParam());
  static_cast<void>(other.open(store::OpenMode::kCreate));
  const std::string schema = other.database() ? "ladder." : "";
  std::string script = format("DROP TABLE {0}imports; DROP TABLE {0}auth_items; DROP TABLE {0}ledger_items;", schema);
  for (const char* table : {"records", "chunks", "directory", "blobs"}) {
    script += format("ALTER TABLE {}{} DROP COLUMN sum;", schema, table);
  }
  script += format("UPDATE {}meta SET value = {} WHERE key = 'schema_version'", schema, other.database() ? "'1'" : "1");
  other.run(script);
  const auto store = other.open(store::OpenMode::kCreate);
  EXPECT_TRUE(must(store->check_invariants()).empty());
  static_cast<void>(other.open(store::OpenMode::kExisting));
}

}  // namespace
}  // namespace ladder

// A store that an earlier Ladder made, before there was search: everything is still there, and its words are found. The scripts
// in old/ are dumps of stores that the program of that time filled: five letters, one of them long, one changed, and a sixth that
// was deleted.
#include "store/postgres/engine/migrations.h"
#include "store/sqlite/engine/migrations.h"
#include "store/upgrade.h"
#include "support/server_fixture.h"

#include <array>
#include <fstream>
#include <sstream>

namespace ladder {
namespace {

using test_support::must;

class OldStore : public ::testing::TestWithParam<std::string> {
 protected:
  OldStore() : place_(GetParam()) { place_.run(script()); }

  static std::string script() {
    std::ifstream file(std::string(LADDER_SOURCE_DIR) + "/tests/server/old/" + GetParam() + "_1.sql");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
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

// Brings the script of schema 1 to a later one by the steps of that time: a step that was released is never changed.
void bring_to_schema(const test_support::StorePlace& place, int schema) {
  if (!place.database()) {
    const auto connection = must(store::sqlite::Connection::open(place.location(), store::sqlite::Connection::Access::kWrite));
    must(store::sqlite::migrate(*connection, store::sqlite::migrations().first(static_cast<std::size_t>(schema))));
    return;
  }
  for (const store::postgres::Migration& step : store::postgres::kMigrations) {
    if (step.version == 1 || step.version > schema) continue;
    place.run(format("SET search_path = ladder; {}; UPDATE ladder.meta SET value = '{}' WHERE key = 'schema_version'", step.sql,
                     step.version));
    if (step.version == store::postgres::kWordsSchema)
      place.run(format("INSERT INTO ladder.meta(key, value) VALUES('words_version', '{}')", store::kWordsVersion));
  }
}

TEST_P(OldStore, OfEverySchemaIsUpgradedWithAllItHas) {
  const int newest = static_cast<int>(store::sqlite::newest_schema());
  ASSERT_EQ(newest, store::postgres::kSchemaVersion) << "one number for both engines";
  for (int schema = 1; schema < newest; ++schema) {
    SCOPED_TRACE(format("schema {}", schema));
    const test_support::StorePlace place(GetParam());
    place.run(script());
    bring_to_schema(place, schema);
    const auto refused = store::open_store(place.location(), store::OpenMode::kExisting);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(format("schema {}, this Ladder needs {}", schema, newest)), std::string::npos)
        << "it says what will be done: " << refused.error().message;
    EXPECT_NE(refused.error().message.find("ladder init"), std::string::npos) << refused.error().message;
    const store::UpgradePlan plan = must(store::plan_upgrade(place.location()));
    EXPECT_EQ(plan.from, schema);
    EXPECT_EQ(plan.to, newest);
    ASSERT_EQ(std::ssize(plan.steps), newest - schema);
    EXPECT_EQ(plan.steps.front().schema, schema + 1);
    const auto store = place.open(store::OpenMode::kCreate);
    EXPECT_FALSE(must(store::plan_upgrade(place.location())).anything()) << "nothing is left to do";
    server::ResourceServer server(*store, clock_);
    must(server.renew_sources());
    const server::Access owner = must(server.owner_at_machine("local"));
    while (!must(server.reindex(owner, Deadline::after(std::chrono::seconds(2))))) {
    }
    EXPECT_TRUE(must(store->check_invariants()).empty());
    EXPECT_EQ(found(server, "heron bridge"), std::vector<std::string>{"l4"});
    EXPECT_EQ(found(server, "letter").size(), 5U);
    // A program of the older schema that still runs must not take what is compressed for damaged: it finds no such column.
    EXPECT_ANY_THROW(place.run(place.database() ? "SELECT body FROM ladder.records" : "SELECT body FROM records"));
    EXPECT_ANY_THROW(place.run(place.database() ? "SELECT bytes FROM ladder.chunks" : "SELECT bytes FROM chunks"));
    EXPECT_EQ(store->seal_keys().size(), 1U);
  }
}

// Rows that an older Ladder wrote stay uncompressed beside new ones, and both are read.
TEST_P(OldStore, ReadsRowsOfBothKinds) {
  const auto store = place_.open(store::OpenMode::kCreate);
  server::ResourceServer server(*store, clock_);
  must(server.renew_sources());
  const server::Access owner = must(server.owner_at_machine("local"));
  std::string body;
  while (body.size() < 20'000) body += format("letter {} about moss and rain, ", body.size());
  const std::string lines = test_support::record_line("l9", R"("subject":"new",)" + test_support::text_member("body", body));
  test_support::TextSource bytes(lines);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  test_support::QuietObserver observer;
  EXPECT_EQ(must(server.ingest(owner, {"home", "letters"}, source, observer)).accepted, 1);
  const auto window = [&](const char* id, std::int64_t offset) {
    api::FieldWindowRequest request{{"home", "letters", id}, "body", {}};
    request.window.offset_chars = offset;
    return must(server.field_window(owner, request)).text;
  };
  EXPECT_TRUE(window("l4", 6'000).ends_with("and the heron stood still."));
  EXPECT_EQ(window("l9", 10'000), body.substr(10'000, limits::kWindowDefaultChars));
  const std::string schema = place_.database() ? "ladder." : "";
  const auto at_least_one = [&](const std::string& rows) {
    place_.run(
        "CREATE TEMPORARY TABLE counted(n BIGINT NOT NULL CHECK (n > 0));"
        "INSERT INTO counted SELECT count(*) FROM " +
        schema + rows);
  };
  EXPECT_NO_THROW(at_least_one("chunks WHERE raw_size IS NULL"));
  EXPECT_NO_THROW(at_least_one("chunks WHERE raw_size IS NOT NULL"));
  while (!must(server.reindex(owner, Deadline::after(std::chrono::seconds(2))))) {
  }
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
  for (const auto& [table, now, then] : {std::array{"records", "stored_body", "body"}, std::array{"chunks", "stored", "bytes"}}) {
    script +=
        format("ALTER TABLE {0}{1} DROP COLUMN raw_size; ALTER TABLE {0}{1} RENAME COLUMN {2} TO {3};", schema, table, now, then);
  }
  script += format("UPDATE {}meta SET value = {} WHERE key = 'schema_version'", schema, other.database() ? "'1'" : "1");
  other.run(script);
  const auto store = other.open(store::OpenMode::kCreate);
  EXPECT_TRUE(must(store->check_invariants()).empty());
  static_cast<void>(other.open(store::OpenMode::kExisting));
}

}  // namespace
}  // namespace ladder

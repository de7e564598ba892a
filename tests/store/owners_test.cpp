// Suspending, limiting and deleting an owner. What one owner does or loses is never seen by another.
#include "store_suite.h"

#include <sqlite3.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace ladder::store {
namespace {

class Owners : public test_support::StoreFixture {
 protected:
  void TearDown() override {
    for (const std::string& fault : must(store().check_invariants())) ADD_FAILURE() << fault;
  }

  static std::string note(std::string_view title) {
    return "{\"title\":\"" + std::string(title) + "\",\"at\":\"2026-01-01T00:00:00Z\",\"body\":\"" +
           long_text("harbour ", 9'000) + "\",\"blob_ref\":{\"blob_id\":\"" + blob_id(crypto::sha256("bytes")) + "\"}}";
  }

  // Gives the owner a row in as many tables as possible.
  void fill(World& world) {
    SourceRow source = world_source();
    source.version = "indexed";
    std::vector<Store::StreamFields> streams = world_streams();
    streams[0].indexed = {{"at", IndexKind::kTime}, {"title", IndexKind::kText}};
    streams[0].searched = {"title", "body"};
    must(store().put_source(world.owner(), source, streams));
    for (int i = 0; i < 5; ++i) world.put("k" + std::to_string(i), note("quince " + std::to_string(i)));
    world.remove("k4");
    Store::BlobBytes blob{{crypto::sha256("bytes"), 5, "text/plain", must(store().reserve_values(world.owner(), 1))}, "bytes"};
    must(store().add_blobs(world.owner(), {&blob, 1}));
    must(store().put_import(world.owner(), must(store().catalog(world.owner())).connections.at(0).no, {"unit", "report", kNow}));
    const std::string id = "grant of " + std::to_string(world.owner());
    const NewGrant grant{.grant_id = id, .client_id = "agent", .body = "{}", .issued_at = kNow, .expires_at = {}, .named = id};
    NewToken token;
    token.hash = token_hash(world);
    must(store().add_grants(world.owner(), {&grant, 1}, token));
    const GrantUse use{world.owner(), must(store().find_grant(world.owner(), id))->no, kNow};
    must(store().record_grant_uses({&use, 1}));
    must(store().auth().apply({.puts = {{"sync_source", id, world.owner(), "{}", kNow, std::nullopt, 0}}}));
    must(store().ledger().apply({.puts = {{{world.owner(), "page", "1"}, "shown", 0}}}));
  }
  static Digest token_hash(const World& world) { return crypto::sha256("token of " + std::to_string(world.owner())); }

  std::map<std::string, std::int64_t> rows_of(OwnerNo owner) {
    std::map<std::string, std::int64_t> rows;
    for (const TableRows& table : must(store().owner_rows(owner))) rows[table.table] = table.rows;
    return rows;
  }
  std::set<std::string> tables_with_owners() {
    std::istringstream names(place().database() != nullptr ? place().database()->value(R"(
      SELECT string_agg(c.relname, ' ') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner_no'
      WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r')")
                                                           : sqlite_tables());
    std::set<std::string> tables;
    for (std::string name; names >> name;) tables.insert(name);
    return tables;
  }
  std::string sqlite_tables() {
    sqlite3* file = nullptr;
    std::string answer;
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_open(place().location().c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file,
                           "SELECT group_concat(t.name, ' ') FROM sqlite_schema t WHERE t.type = 'table' AND EXISTS "
                           "(SELECT 1 FROM pragma_table_info(t.name) c WHERE c.name = 'owner_no')",
                           take, &answer, nullptr),
              SQLITE_OK);
    sqlite3_close(file);
    return answer;
  }
};
LADDER_FOR_EVERY_ENGINE(Owners);

TEST_P(Owners, ASuspendedOwnerIsSeenInEveryCheck) {
  World ann(store(), "ann", "mail"), bob(store(), "bob", "mail");
  fill(ann);
  fill(bob);
  const TokenRow token = *must(store().find_token(token_hash(ann)));
  const Guard guard{ann.owner(), token.no, token.grants.at(0).no};
  EXPECT_FALSE(must(store().access_status(guard)).owner_suspended);
  const auto reader = must(store().read(ann.owner()));
  EXPECT_FALSE(must(reader->records(guard, {}, "")).access_status.owner_suspended);

  must(store().set_owner_suspended(ann.owner(), kNow));
  must(store().set_owner_suspended(ann.owner(), kNow + kDay));
  EXPECT_EQ(must(store().find_owner("ann"))->suspended_at, kNow) << "the first time is kept";
  EXPECT_TRUE(must(store().access_status(guard)).owner_suspended);
  EXPECT_TRUE(must(store().access_status({ann.owner(), 0, 0})).owner_suspended);
  EXPECT_TRUE(must(must(store().read(ann.owner()))->records(guard, {}, "")).access_status.owner_suspended)
      << "also with a cached access status";
  EXPECT_TRUE(must(store().find_token(token_hash(ann)))->owner_suspended);
  EXPECT_FALSE(must(store().access_status({bob.owner(), 0, 0})).owner_suspended);
  EXPECT_FALSE(must(store().find_token(token_hash(bob)))->owner_suspended);

  must(store().set_owner_suspended(ann.owner(), std::nullopt));
  EXPECT_FALSE(must(store().access_status(guard)).owner_suspended);
  EXPECT_EQ(store().set_owner_suspended(999, kNow).error().code, Code::kNotFound);
}

TEST_P(Owners, LimitsAndUsage) {
  World ann(store(), "ann", "mail"), bob(store(), "bob", "mail");
  fill(ann);
  const OwnerLimits limits{10, 20, 30, 40};
  must(store().set_owner_limits(ann.owner(), limits));
  EXPECT_EQ(must(store().owner(ann.owner()))->limits, limits);
  EXPECT_EQ(must(store().owner(bob.owner()))->limits, OwnerLimits{});
  EXPECT_EQ(store().set_owner_limits(999, limits).error().code, Code::kNotFound);
  EXPECT_EQ(must(store().owner_records(ann.owner())), 4);
  const OwnerUsage usage = must(store().owner_usage(ann.owner()));
  EXPECT_EQ(usage.records, 4);
  EXPECT_GT(usage.bytes, 1'000);
  EXPECT_EQ(must(store().owner_usage(bob.owner())).bytes, 0);
}

TEST_P(Owners, EveryTableOfAnOwnerIsListed) {
  World ann(store(), "ann", "mail");
  std::set<std::string> listed;
  for (const auto& [table, rows] : rows_of(ann.owner())) listed.insert(table);
  EXPECT_EQ(listed, tables_with_owners());
}

TEST_P(Owners, DeletingOneLeavesNoRowAndNoOtherOwnerNotices) {
  World ann(store(), "ann", "mail"), bob(store(), "bob", "mail");
  fill(ann);
  fill(bob);
  const auto of_bob = rows_of(bob.owner());
  std::set<std::string> filled;
  for (const auto& [table, rows] : of_bob) {
    if (rows > 0) filled.insert(table);
  }
  for (const char* table :
       {"records",    "chunks",  "blobs",      "blob_refs",     "word_blocks", "word_segments", "passages",
        "texts",      "tokens",  "grants",     "token_grants",  "grant_uses",  "imports",       "ledger_items",
        "auth_items", "changes", "tombstones", "index_entries", "index_days",  "counters",      "owners"}) {
    EXPECT_TRUE(filled.contains(table)) << "the test puts no row into " << table;
  }

  const auto early = store().delete_owner(ann.owner(), Deadline::never());
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::kConflict) << "an owner with access is not deleted";
  must(store().set_owner_suspended(ann.owner(), kNow));
  while (!must(store().delete_owner(ann.owner(), Deadline::after(std::chrono::milliseconds(1))))) {
  }
  for (const auto& [table, rows] : rows_of(ann.owner())) EXPECT_EQ(rows, 0) << table;
  EXPECT_EQ(rows_of(bob.owner()), of_bob);
  EXPECT_FALSE(must(store().find_owner("ann")));
  EXPECT_FALSE(must(store().find_token(token_hash(ann))));
  EXPECT_NE(bob.whole(*bob.find("k1")).find("quince 1"), std::string::npos);
}

TEST_P(Owners, ANumberIsNotUsedAgain) {
  const World ann(store(), "ann", "mail");
  must(store().set_owner_suspended(ann.owner(), kNow));
  must(store().delete_owner(ann.owner(), Deadline::never()));
  EXPECT_GT(must(store().add_owner("ann", kNow)).no, ann.owner());
}

TEST_P(Owners, OwnersWithItemsOfAKind) {
  World ann(store(), "ann", "mail"), bob(store(), "bob", "mail");
  fill(bob);
  EXPECT_EQ(must(store().auth().owners_with("sync_source")), std::vector<OwnerNo>{bob.owner()});
  EXPECT_TRUE(must(store().auth().owners_with("nothing")).empty());
}

}  // namespace
}  // namespace ladder::store

// Which keys begin with the owner (design D36), read from the catalog of the engine itself, and what two owners with the same
// connection id have in common: nothing.
#include "store_suite.h"

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace ladder::store {
namespace {

using Tables = std::set<std::string>;

// Tables with a key that does not begin with the owner (design D36), and why. All others begin with the owner in their primary
// key and in every index.
const std::map<std::string, std::string> kNotByOwner = {
    {"auth_items", "a sign-in, a client or a request is found by its key before it has an owner"},
    {"meta", "the settings of the store itself"},
    {"owners", "an owner is found by its name; its number is the key"},
    {"tokens", "the owner of a request is found by the hash of its token"},
};

constexpr const char* kAskSqlite = R"(
  SELECT group_concat(name, ' ') FROM (
    SELECT t.name FROM sqlite_schema t WHERE t.type = 'table' AND (
      NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) c WHERE c.pk = 1 AND c.name = 'owner_no') OR
      EXISTS (SELECT 1 FROM pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
              WHERE c.seqno = 0 AND c.name IS NOT 'owner_no')))
)";
constexpr const char* kAskPostgres = R"(
  SELECT string_agg(c.relname, ' ') FROM pg_class c
  WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r' AND (
    NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) OR
    EXISTS (SELECT FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = c.oid AND a.attname IS DISTINCT FROM 'owner_no'))
)";

std::string ask_sqlite(const std::string& path, const char* sql) {
  sqlite3* file = nullptr;
  std::string answer;
  const auto take = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "";
    return 0;
  };
  EXPECT_EQ(sqlite3_open(path.c_str(), &file), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(file, sql, take, &answer, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
  sqlite3_close(file);
  return answer;
}

class OwnerKeys : public test_support::StoreFixture {
 protected:
  Tables tables_not_by_owner() {
    const test_support::Database* const database = place().database();
    std::istringstream names(database != nullptr ? database->value(kAskPostgres) : ask_sqlite(place().location(), kAskSqlite));
    Tables tables;
    for (std::string name; names >> name;) tables.insert(name);
    return tables;
  }
  std::int64_t catalog_version(OwnerNo owner) { return must(store().catalog(owner)).owner.catalog_version; }
  void TearDown() override { EXPECT_TRUE(must(store().check_invariants()).empty()); }
};
LADDER_FOR_EVERY_ENGINE(OwnerKeys);

TEST_P(OwnerKeys, BeginWithTheOwnerInAllButTheseTables) {
  Tables expected;
  for (const auto& [table, reason] : kNotByOwner) expected.insert(table);
  EXPECT_EQ(tables_not_by_owner(), expected);
}

TEST_P(OwnerKeys, AreToldApartFromOthers) {
  const std::string table = GetParam() == "postgres" ? "ladder.made_up" : "made_up";
  const Tables before = tables_not_by_owner();
  place().run("CREATE TABLE " + table + "(owner_no BIGINT, n BIGINT, PRIMARY KEY(owner_no, n))");
  EXPECT_EQ(tables_not_by_owner(), before);
  place().run("CREATE INDEX made_up_by_n ON " + table + "(n)");
  EXPECT_TRUE(tables_not_by_owner().contains("made_up")) << "an index without the owner";
  place().run("DROP TABLE " + table);
  place().run("CREATE TABLE " + table + "(owner_no BIGINT, n BIGINT PRIMARY KEY)");
  EXPECT_TRUE(tables_not_by_owner().contains("made_up")) << "a primary key without the owner";
  place().run("DROP TABLE " + table);
}

TEST_P(OwnerKeys, TwoOwnersMayHaveTheSameConnectionId) {
  World ann(store(), "ann", "mail");
  ann.put("k", R"({"title":"of Ann","body":"sealed"})");
  const std::int64_t version_of_ann = catalog_version(ann.owner());
  World bob(store(), "bob", "mail");
  EXPECT_EQ(must(store().catalog(bob.owner())).connections.size(), 1u) << "it is Bob's own, and no conflict tells him of Ann's";
  EXPECT_EQ(catalog_version(ann.owner()), version_of_ann) << "nor does Ann's catalog tell her of Bob's";
  EXPECT_FALSE(bob.find("k"));
  EXPECT_EQ(bob.counters().records, 0);

  EXPECT_EQ(bob.put("k", R"({"title":"of Bob"})"), Outcome::kAdded);
  EXPECT_EQ(bob.put("other", R"({"title":"of Bob, too"})"), Outcome::kAdded);
  EXPECT_EQ(ann.counters().records, 1);
  EXPECT_NE(ann.find("k")->body.find("of Ann"), std::string::npos);
  EXPECT_EQ(bob.remove("k"), Outcome::kDeleted);
  EXPECT_TRUE(ann.find("k"));
}

TEST_P(OwnerKeys, AConnectionIsChangedByItsOwnerAlone) {
  World ann(store(), "ann", "mail");
  const World bob(store(), "bob", "mail");
  const ConnectionNo of_ann = must(store().catalog(ann.owner())).connections.at(0).no;
  const Status changed = store().set_connection_status(bob.owner(), of_ann, "revoked");
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Code::kNotFound);
  EXPECT_EQ(must(store().catalog(ann.owner())).connections.at(0).status, "active");
}

TEST_P(OwnerKeys, AnIdIsTakenOnceByAnOwner) {
  const World ann(store(), "ann", "mail");
  const Catalog catalog = must(store().catalog(ann.owner()));
  ConnectionRow again = catalog.connections.at(0);
  const auto added = store().add_connection(ann.owner(), again, std::vector<std::string>{"notes"});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Code::kConflict);
  EXPECT_EQ(must(store().catalog(ann.owner())).connections.size(), 1u);
}

}  // namespace
}  // namespace ladder::store

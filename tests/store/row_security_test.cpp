// Row-level security on PostgreSQL: the second wall after the condition on the owner in every statement. The statements here are
// wrong on purpose; the server must return and change no row of another owner.
#include "base/text/format.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/postgres_store.h"
#include "store_suite.h"

#include <random>

namespace ladder::store::postgres {
namespace {

using test_support::Database;

class RowSecurity : public ::testing::Test {
 protected:
  RowSecurity() {
    for (World* world : {&ann_, &bob_}) {
      for (int i = 0; i < 20; ++i)
        world->put(format("k{}", i), R"({"title":"fox","at":"2026-01-01T00:00:00Z","body":"harbour"})");
      world->put("long", format(R"({{"title":"fox","body":"{}"}})", long_text("fox ", 9'000)));
      world->remove("k1");
      const std::string id = format("grant of {}", world->owner());
      const NewGrant grant{.grant_id = id, .client_id = "agent", .body = "{}", .issued_at = kNow, .expires_at = {}, .named = id};
      NewToken token;
      token.hash = crypto::sha256(id);
      must(store_->add_grants(world->owner(), {&grant, 1}, token));
      must(store_->ledger().apply({.puts = {{{world->owner(), "page", "1"}, "shown", 0}}}));
    }
  }

  std::unique_ptr<Connection> connect() { return must(Connection::open(must(Address::parse(database_->address())))); }
  std::vector<std::string> tables() {
    const auto names = database_->value(
        "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND "
        "a.attname = 'owner_no' WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r' AND "
        "c.relname NOT IN ('owners', 'auth_items')");
    std::vector<std::string> all;
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      all.push_back(names.substr(at, end - at));
      at = end + 1;
    }
    return all;
  }

  std::unique_ptr<Database> database_ = test_support::PostgresCluster::shared().fresh_database();
  std::unique_ptr<Store> store_ = must(open_postgres(database_->address(), OpenMode::kCreate));
  World ann_{*store_, "ann", "mail"}, bob_{*store_, "bob", "mail"};
};

TEST_F(RowSecurity, IsForcedOnEveryTableWithOwners) {
  EXPECT_EQ(database_->value("SELECT count(*) FROM pg_class WHERE relnamespace = 'ladder'::regnamespace AND relkind = 'r' AND "
                             "relrowsecurity AND relforcerowsecurity"),
            std::to_string(tables().size()));
  EXPECT_EQ(database_->value("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'ladder_test'"), "f");
}

// Each statement of the list, for every table, with random owners, numbers and settings.
TEST_F(RowSecurity, AHundredThousandWrongStatementsFindNoRow) {
  constexpr int kStatements = 100'000, kAtOnce = 1'000;
  const std::vector<std::string> names = tables();
  std::vector<std::string> queries;
  for (const std::string& table : names) {
    for (const char* shape :
         {"SELECT * FROM {0} WHERE owner_no = $1::bigint AND $2::bigint >= 0",
          "SELECT * FROM {0} WHERE owner_no <> $2::bigint AND $1::bigint > 0",
          "SELECT * FROM {0} WHERE owner_no IN (SELECT owner_no FROM owners) AND owner_no <> $2::bigint AND $1::bigint > 0",
          "SELECT t.* FROM {0} t, streams s WHERE t.owner_no = s.owner_no AND s.owner_no = $1::bigint AND $2::bigint >= 0",
          "UPDATE {0} SET owner_no = $2::bigint WHERE owner_no = $1::bigint",
          "DELETE FROM {0} WHERE owner_no = $1::bigint AND $2::bigint >= 0",
          "SELECT * FROM {0} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {0})) AND owner_no = $1::bigint AND $2::bigint >= 0"}) {
      std::string query = shape;
      for (std::size_t at; (at = query.find("{0}")) != std::string::npos;) query.replace(at, 3, table);
      queries.push_back(std::move(query));
    }
  }
  std::vector<Statement> statements;
  for (const std::string& query : queries) statements.push_back({query.c_str()});

  const auto connection = connect();
  std::minstd_rand random(41);
  const auto one_of = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int done = 0; done < kStatements;) {
    // Ann's connection, Bob's, that of an owner who does not exist, and one without an owner. The statements name another owner.
    const OwnerNo mine = std::array<OwnerNo, 4>{ann_.owner(), bob_.owner(), 999, 0}[one_of(4)];
    const OwnerNo wrong = mine == ann_.owner() ? bob_.owner() : ann_.owner();
    connection->set_owner(mine);
    connection->begin();
    for (int i = 0; i < kAtOnce; ++i, ++done) connection->add(statements[one_of(statements.size())], wrong, mine);
    const auto answers = must(connection->run(kLongWorkTimeout));
    for (const Rows& rows : answers) {
      ASSERT_EQ(rows.size(), 0);
      ASSERT_EQ(rows.affected(), 0);
    }
    must(connection->rollback());
  }
  EXPECT_EQ(ann_.counters().records, 20);
  EXPECT_EQ(bob_.counters().records, 20);
}

TEST_F(RowSecurity, ARowOfAnotherOwnerCannotBeWritten) {
  static constexpr Statement kInsert{
      "INSERT INTO ledger_items (owner_no, kind, key, version, body) VALUES ($1::bigint, 'x', '', 1, '')"};
  const auto connection = connect();
  connection->set_owner(bob_.owner());
  connection->add(kInsert, ann_.owner());
  ASSERT_FALSE(connection->run());
  EXPECT_EQ(connection->sqlstate(), "42501");
  connection->add(kInsert, bob_.owner());
  EXPECT_TRUE(connection->run());
}

TEST_F(RowSecurity, TheOwnerIsForgottenAtTheEndOfATransaction) {
  static constexpr Statement kSetting{"SELECT current_setting('ladder.owner', true)"};
  const auto connection = connect();
  connection->set_owner(ann_.owner());
  EXPECT_EQ(must(connection->run_one(kSetting)).text(0, 0), std::to_string(ann_.owner()));
  must(connection->script("DO $$ BEGIN IF current_setting('ladder.owner', true) <> '' THEN RAISE 'kept'; END IF; END $$"));
  must(connection->script("DO $$ BEGIN IF EXISTS (SELECT FROM ladder.records) THEN RAISE 'seen'; END IF; END $$"));
}

TEST_F(RowSecurity, ATaskSeesOnlyItsTables) {
  static constexpr Statement kTokens{"SELECT * FROM tokens"}, kRecords{"SELECT * FROM records"},
      kStreams{"SELECT * FROM streams"}, kUpdate{"UPDATE streams SET record_count = 0"};
  const auto connection = connect();
  connection->set_crossing(Crossing::kSignIn);
  EXPECT_EQ(must(connection->run_one(kTokens)).size(), 2);
  EXPECT_EQ(must(connection->run_one(kRecords)).size(), 0);
  connection->set_crossing(Crossing::kUpkeep);
  EXPECT_EQ(must(connection->run_one(kTokens)).size(), 0);
  EXPECT_EQ(must(connection->run_one(kRecords)).size(), 0);
  EXPECT_GT(must(connection->run_one(kStreams)).size(), 0);
  EXPECT_EQ(must(connection->run_one(kUpdate)).affected(), 0);
  connection->set_crossing(Crossing::kWholeStore);
  EXPECT_EQ(must(connection->run_one(kRecords)).size(), 40);
  connection->set_crossing(Crossing::kNone);
  EXPECT_EQ(must(connection->run_one(kRecords)).size(), 0);
}

}  // namespace
}  // namespace ladder::store::postgres

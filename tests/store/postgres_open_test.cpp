// Opening a store on PostgreSQL: creating, migrating, and every refusal with its remedy and without the password.
#include "postgres_scene.h"
#include "store/postgres/engine/migrations.h"

#include <thread>

namespace ladder::store::postgres {
namespace {

using test_support::PostgresCluster;

template <class T>
void expect_refused(const Result<T>& result, Code code, std::string_view part_of_message) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().wire(), info(code).wire);
  EXPECT_NE(result.error().message.find(part_of_message), std::string::npos) << result.error().message;
}

TEST(PostgresOpen, DoesNotCreateAStoreWhenOneMustExist) {
  const auto database = PostgresCluster::shared().fresh_database();
  expect_refused(open_postgres(database->address(), OpenMode::kExisting), Code::kNotSetUp, "ladder init");
  EXPECT_EQ(database->value("SELECT count(*) FROM pg_namespace WHERE nspname = 'ladder'"), "0");
  const auto made = must(open_postgres(database->address(), OpenMode::kCreate));
  const auto opened = must(open_postgres(database->address(), OpenMode::kExisting));
  ASSERT_EQ(made->seal_keys().size(), 1u);
  EXPECT_EQ(made->seal_keys()[0].secret.size(), 32u);
  EXPECT_EQ(opened->seal_keys()[0].secret, made->seal_keys()[0].secret);
  EXPECT_EQ(opened->seal_keys()[0].id, 1);
  EXPECT_EQ(opened->engine(), "postgres");
}

TEST(PostgresOpen, ANewerStoreIsRefused) {
  const auto database = PostgresCluster::shared().fresh_database();
  must(open_postgres(database->address(), OpenMode::kCreate));
  database->run(format("UPDATE ladder.meta SET value = '{}' WHERE key = 'schema_version'", kSchemaVersion + 1));
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    expect_refused(
        open_postgres(database->address(), mode), Code::kNotSetUp,
        format("made by a newer Ladder (schema {}); this one knows {}: upgrade ladder", kSchemaVersion + 1, kSchemaVersion));
  }
}

TEST(PostgresOpen, AnInterruptedCreationIsResumed) {
  const auto database = PostgresCluster::shared().fresh_database();
  database->run("CREATE SCHEMA ladder");
  expect_refused(open_postgres(database->address(), OpenMode::kExisting), Code::kNotSetUp, "ladder init");
  must(open_postgres(database->address(), OpenMode::kCreate));
  must(open_postgres(database->address(), OpenMode::kExisting));
}

TEST(PostgresOpen, ConcurrentCreationsTakeTurns) {
  const auto database = PostgresCluster::shared().fresh_database();
  std::vector<std::string> secrets(6);
  std::vector<std::thread> threads;
  for (std::string& secret : secrets) {
    threads.emplace_back([&] { secret = must(open_postgres(database->address(), OpenMode::kCreate))->seal_keys().at(0).secret; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& secret : secrets) EXPECT_EQ(secret, secrets[0]);
}

TEST(PostgresOpen, RequiresUtf8) {
  PostgresCluster& cluster = PostgresCluster::shared();
  const auto home = cluster.fresh_database();
  home->run("CREATE DATABASE ascii_only TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'");
  std::string address = home->address();
  address.replace(address.find(home->name()), home->name().size(), "ascii_only");
  expect_refused(open_postgres(address, OpenMode::kCreate), Code::kNotSetUp, "createdb -E UTF8");
  home->run("DROP DATABASE ascii_only");
}

TEST(PostgresOpen, ReportsAMissingDatabaseOrServer) {
  std::string address = PostgresCluster::shared().address();
  address.replace(address.rfind("/postgres?"), 10, "/nowhere?");
  expect_refused(open_postgres(address, OpenMode::kCreate), Code::kNotSetUp, "createdb");
  expect_refused(open_postgres("postgres://someone@127.0.0.1:1/ladder?connect_timeout=2", OpenMode::kExisting),
                 Code::kStoreUnavailable, "postgres://someone@127.0.0.1:1/ladder: start the server");
}

TEST(PostgresOpen, ThePasswordStaysSecret) {
  const std::string secret = "s3cr3t-word";
  for (const std::string& address :
       {"postgres://me:" + secret + "@127.0.0.1:1/db?connect_timeout=2", "postgres://me:" + secret + "@[::1/db",
        "postgres://me@127.0.0.1:1/db?password=" + secret + "&connect_timeout=2", "postgres://me:" + secret + "@127.0.0.1:x/db",
        "postgres://me:" + secret + "@h/db?nonsense=" + secret}) {
    const auto refused = open_postgres(address, OpenMode::kExisting);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message.find(secret), std::string::npos) << refused.error().message;
    EXPECT_EQ(refused.error().log_detail.find(secret), std::string::npos) << refused.error().log_detail;
  }
}

TEST(PostgresOpen, ReportsAUserWithoutRights) {
  const auto database = PostgresCluster::shared().fresh_database();
  database->run("DROP ROLE IF EXISTS ladder_guest; CREATE ROLE ladder_guest LOGIN");
  std::string address = database->superuser_address();
  address.replace(address.find("postgres@"), 9, "ladder_guest@");
  expect_refused(open_postgres(address, OpenMode::kCreate), Code::kNotSetUp, "GRANT CREATE ON DATABASE");
  database->run("DROP ROLE ladder_guest");
}

// A role may have turned synchronous commit off; an acknowledged write must still be on disk.
TEST(PostgresOpen, CommitsStayDurable) {
  Scene scene;
  scene.database().run(format("ALTER DATABASE \"{}\" SET synchronous_commit = off", scene.database().name()));
  const auto connection = must(Connection::open(must(Address::parse(scene.database().address()))));
  static constexpr Statement kShow{"SELECT current_setting('synchronous_commit')"};
  EXPECT_EQ(must(connection->run_one(kShow)).bytes(0, 0), "on");
}

}  // namespace
}  // namespace ladder::store::postgres

#include "import/sqlite/sqlite_file.h"

#include "import/sqlite/testing/sqlite_maker.h"
#include "import/testing/memory_tree.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

std::string values(Files files) {
  MemoryTree tree(std::move(files));
  const auto entry = tree.find("a.db");
  const auto file = SqliteFile::open(tree, *entry);
  if (!file) return "?" + file.error().message;
  auto rows = file->query("SELECT a FROM t ORDER BY a");
  if (!rows) return "?" + rows.error().message;
  std::string all;
  for (;;) {
    const auto more = rows->next();
    if (!more) return all + "?" + more.error().message;
    if (!*more) return all;
    all += rows->text(0) + ";";
  }
}

TEST(SqliteFile, ReadsTablesWithTheChangesOfTheLog) {
  const RunningDatabase copy = running_database("CREATE TABLE t(a); INSERT INTO t VALUES('one')",
                                                "INSERT INTO t VALUES('two'); INSERT INTO t VALUES('three')");
  ASSERT_FALSE(copy.log.empty());
  EXPECT_EQ(values({{"a.db", copy.database}, {"a.db-wal", copy.log}}), "one;three;two;");
  EXPECT_EQ(values({{"a.db", copy.database}}), "one;") << "without its log it is read as it is";
  std::string cut = copy.log;
  cut.resize(cut.size() - 100);
  EXPECT_EQ(values({{"a.db", copy.database}, {"a.db-wal", cut}}), "one;two;") << "an incomplete transaction is left out";
  std::string damaged = copy.log;
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  EXPECT_EQ(values({{"a.db", copy.database}, {"a.db-wal", damaged}}), "one;");
  EXPECT_EQ(values({{"a.db", copy.database}, {"a.db-wal", "nonsense"}}), "one;");
}

TEST(SqliteFile, OnlyReadsTables) {
  SqliteMaker maker;
  maker.run("CREATE TABLE real(a); INSERT INTO real VALUES(1); CREATE VIEW t AS SELECT load_extension('x') AS a FROM real");
  EXPECT_EQ(maker.problems, "");
  EXPECT_TRUE(values({{"a.db", maker.bytes()}}).starts_with("?the database is damaged")) << values({{"a.db", maker.bytes()}});
  MemoryTree tree(Files{{"a.db", maker.bytes()}});
  const auto file = SqliteFile::open(tree, 0);
  ASSERT_TRUE(file);
  for (const char* sql : {"INSERT INTO real VALUES(2)", "ATTACH 'x' AS y", "PRAGMA journal_mode=WAL", "PRAGMA writable_schema=ON",
                          "SELECT randomblob(10)", "SELECT readfile('/etc/passwd')"}) {
    auto rows = file->query(sql);
    EXPECT_FALSE(rows && rows->next().value_or(false)) << sql;
  }
  EXPECT_EQ(file->columns("real"), std::set<std::string>{"a"});
  EXPECT_FALSE(file->has_table("none"));
}

TEST(SqliteFile, DamageIsAnError) {
  SqliteMaker maker;
  maker.run("CREATE TABLE t(a); INSERT INTO t VALUES('x')");
  const std::string bytes = maker.bytes();
  EXPECT_EQ(values({{"a.db", bytes}}), "x;");
  EXPECT_TRUE(values({{"a.db", bytes.substr(0, 50)}}).starts_with("?"));
  EXPECT_TRUE(values({{"a.db", "hello"}}).starts_with("?it is not an SQLite database"));
  for (std::size_t at = 100; at < bytes.size(); at += 97) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    values({{"a.db", bad}});  // any answer, no crash
  }
}

}  // namespace
}  // namespace ladder::imports

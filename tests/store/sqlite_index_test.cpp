// The field index in SQLite's tables: the cost of a write, the result of a sweep, and invariants that detect every kind
// of damage.
#include "store/sqlite_scene.h"

#include "base/limits.h"
#include "store/catalog/items.h"
#include "store/index/field_index.h"
#include "store/sqlite/engine/connection.h"

namespace ladder::store::sqlite {
namespace {

std::int64_t count(const Scene& scene, const std::string& sql) {
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kRead));
  return must(connection->read_integer(sql.c_str()));
}

void damage(const Scene& scene, const std::string& sql) {
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  must(connection->execute(sql.c_str()));
}

std::string note(const std::string& title, const std::string& body) {
  return format(R"({{"title":"{}","body":"{}","blob_ref":{{"blob_id":"{}"}}}})", title, body, blob_id(crypto::sha256(title)));
}

TEST(SqliteIndex, TheRowsMatchTheRecords) {
  Scene scene;
  scene.declare({{"title", IndexKind::kText}, {"body", IndexKind::kTime}});
  scene.put("a", note("one", "2026-01-01"));
  scene.put("b", note("two", "2026-01-01"));
  scene.put("c", R"({"x":1})");
  scene.put("d", note("elsewhere", "2026-01-01"), "diary");
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 4);
  EXPECT_EQ(count(scene, "SELECT group_concat(records) = '2' FROM index_days"), 1);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM blob_refs"), 3);
  scene.put("a", note("one", "2026-01-02"));
  EXPECT_EQ(count(scene, "SELECT group_concat(records) = '1,1' FROM index_days"), 1);
  scene.erase("a");
  scene.erase("b");
  scene.erase("d", "diary");
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_days"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM blob_refs"), 0);
  scene.expect_sound();
}

TEST(SqliteIndex, ALedgerRangeIsReadOnlyToItsEnd) {
  const Scene scene;
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kRead));
  for (const sql::Statement& range : {kLedgerRange, kLedgerRangeBack}) {
    Statement plan = connection->prepare((std::string("EXPLAIN QUERY PLAN ") + range.sql).c_str());
    ASSERT_TRUE(must(plan.step()));
    const std::string step = plan.string_at(3);
    EXPECT_NE(step.find("(owner_no=? AND kind=? AND key>? AND key<?)"), std::string::npos) << step;
    EXPECT_FALSE(must(plan.step())) << "it is sorted: " << plan.string_at(3);
  }
}

TEST(SqliteIndex, ASweepRemovesDroppedIndexesAndOldTombstones) {
  Scene scene;
  scene.declare({{"title", IndexKind::kText}, {"body", IndexKind::kTime}});
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 500; ++i) {
    batch.push_back(record_write(scene.store(), format("k{}", i), note(format("title {}", i), format_time(i * kDay))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  scene.declare({});
  std::vector<RecordWrite> deletions;
  for (int i = 0; i < 300; ++i) deletions.push_back(deletion(format("k{}", i)));
  must(scene.store().write(scene.target(), deletions, kNow));
  EXPECT_EQ(count(scene, "SELECT count(*) FROM dead_indexes"), 2);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 1'000) << "writes do not maintain dropped indexes";
  scene.expect_sound();
  const Instant later = kNow + limits::kTombstoneDays * kDay + 1;
  EXPECT_TRUE(must(scene.store().sweep(later, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM dead_indexes"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_days"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM tombstones"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM changes"), 200);
  scene.expect_sound();
}

TEST(SqliteIndex, TheInvariantsDetectDamage) {
  for (const char* const sql :
       {"DELETE FROM index_entries WHERE record_no = (SELECT min(record_no) FROM index_entries)",
        "UPDATE index_entries SET record_no = record_no + 1", "UPDATE index_entries SET entry = entry || x'00'",
        "INSERT INTO index_entries SELECT owner_no, index_no, x'00', 1 FROM indexes",
        "INSERT INTO index_entries VALUES(1, 77, x'00', 1)", "UPDATE index_days SET records = records + 1",
        "DELETE FROM index_days", "INSERT INTO index_days SELECT owner_no, index_no, 7, 0 FROM indexes",
        "INSERT INTO index_days VALUES(1, 77, 7, 1)", "DELETE FROM blob_refs", "INSERT INTO blob_refs VALUES(1, zeroblob(32), 1)",
        "UPDATE blob_refs SET digest = zeroblob(32)", "UPDATE indexes SET upto = x'61'", "UPDATE indexes SET kind = 2",
        "DELETE FROM indexes", "UPDATE fields SET index_kind = 0", "UPDATE meta SET value = 1 WHERE key = 'next_index_no'",
        "INSERT INTO dead_indexes SELECT owner_no, index_no FROM indexes", "UPDATE tombstones SET created = version"}) {
    Scene scene;
    scene.declare({{"title", IndexKind::kText}, {"body", IndexKind::kTime}});
    for (const char* const key : {"a", "b", "c"}) scene.put(key, note(key, "2026-01-01"));
    scene.erase("c");
    scene.expect_sound();
    damage(scene, sql);
    EXPECT_FALSE(must(scene.store().check_invariants()).empty()) << sql;
  }
}

// A step of reindexing must not block other writers for long, however large the stream.
TEST(SqliteIndex, ReindexingGoesInSteps) {
  Scene scene;
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 3'000; ++i) {
    batch.push_back(record_write(scene.store(), format("k{:04}", i), note(format("title {}", i), "2026-01-01")));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  scene.declare({{"title", IndexKind::kText}, {"body", IndexKind::kTime}});
  EXPECT_FALSE(must(scene.store().reindex(Deadline::after(std::chrono::milliseconds(0)))));
  EXPECT_EQ(count(scene, "SELECT count(*) FROM indexes WHERE upto = CAST('k0000' AS BLOB)"), 2) << "one record in any case";
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 2);
  for (int step = 1; !must(scene.store().reindex(Deadline::after(step * std::chrono::milliseconds(5)))); ++step) {
    scene.expect_sound();
  }
  EXPECT_EQ(count(scene, "SELECT count(*) FROM indexes WHERE upto IS NULL"), 2);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM index_entries"), 6'000);
}

}  // namespace
}  // namespace ladder::store::sqlite

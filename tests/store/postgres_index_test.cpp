// PostgreSQL-specific parts of the field index: plans by primary key, rows as arrays, streams locked while their
// indexes change, steps of reindexing and sweeping.
#include "postgres_scene.h"
#include "store/index/field_index.h"
#include "store/postgres/engine/record_rows.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace ladder::store::postgres {
namespace {

using enum IndexKind;

const std::vector<Store::IndexedField> kEveryKind = {{"at", kTime}, {"score", kNumber}, {"title", kText}};
const Digest kBlob = crypto::sha256("a picture");

std::string data(int day, int score, std::string_view title) {
  return format(R"({{"at":"2026-01-{:02}T12:00:00Z","score":{},"title":"{}","blob_ref":{{"blob_id":"{}"}}}})", day, score, title,
                blob_id(kBlob));
}

void put_many(Scene& scene, int records, std::string_view title) {
  for (int done = 0; done < records; done += 200) {
    std::vector<RecordWrite> batch;
    for (int i = done; i < std::min(records, done + 200); ++i) {
      const std::string key = format("k{:05}", i);
      batch.push_back(title.empty() ? deletion(key) : record_write(scene.store(), key, data(1 + i % 28, i, title)));
    }
    scene.write(std::move(batch));
  }
}

IndexNo index_of(Scene& scene, IndexKind kind) {
  for (const IndexRow& row : scene.indexes()) {
    if (row.kind == kind) return row.no;
  }
  throw std::runtime_error("no such index");
}

class PostgresIndex : public ::testing::Test {
 protected:
  std::int64_t count(const std::string& what) {
    return std::stoll(scene_.database().value("SELECT count(*) FROM ladder." + what));
  }
  std::int64_t fetched(const char* table) {
    return std::stoll(scene_.database().value(format(
        "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '{}'", table)));
  }
  // Returns the generic plan that a session of the store uses for the statement, without the filters of row-level security.
  std::string plan_of(const char* sql, const char* types, const char* values) {
    const auto connection = must(Connection::open(must(Address::parse(scene_.database().address()))));
    must(connection->script(format("PREPARE p({}) AS {}", types, of_owner(sql))));
    const std::string explain = format("EXPLAIN EXECUTE p({})", values);
    const Statement statement{explain.c_str()};
    const Rows rows = must(connection->run_one(statement));
    std::string plan;
    for (int row = 0; row < rows.size(); ++row) {
      const std::string line = rows.text(row, 0);
      if (line.find("ladder.owner") == std::string::npos) plan += line + "\n";
    }
    return plan;
  }
  void expect_plan(const char* sql, const char* types, const char* values, std::initializer_list<std::string_view> indexes) {
    const std::string plan = plan_of(sql, types, values);
    for (const std::string_view index : indexes) EXPECT_NE(plan.find(index), std::string::npos) << index << "\n" << plan;
    for (const std::string_view bad : {"Seq Scan", "Sort", "Bitmap", "Hash", "Filter"}) {
      EXPECT_EQ(plan.find(bad), std::string::npos) << bad << "\n" << plan;
    }
  }

  Scene scene_;
};

// The plans are the same for empty tables and for full, analyzed ones.
TEST_F(PostgresIndex, ReadsByValueUseThePrimaryKeys) {
  scene_.index(kEveryKind);
  const auto expect_plans = [&] {
    const char* const range = "bigint, bytea, bytea, bigint";
    expect_plan(kIndexPageUpSql, range, "1, '', '\\xff', 10", {"using index_entries_pkey", "using records_pkey"});
    expect_plan(kIndexPageDownSql, range, "1, '', '\\xff', 10", {"Backward using index_entries_pkey", "using records_pkey"});
    expect_plan(kIndexCountSql, range, "1, '', '\\xff', 10", {"using index_entries_pkey"});
    expect_plan(kOrderCountSql, range, "1, '', '\\xff', 10", {"using records_in_order"});
    expect_plan(kIndexDaysSql, "bigint, bigint, bigint", "1, 0, 10", {"using index_days_pkey"});
    const char* const of_ledger = "bigint, text, bytea, bigint, bytea";
    expect_plan(kLedgerRange.sql, of_ledger, "1, 'seen', '', 10, '\\xff'", {"using ledger_items_pkey"});
    expect_plan(kLedgerRangeBack.sql, of_ledger, "1, 'seen', '', 10, '\\xff'", {"Backward using ledger_items_pkey"});
    expect_plan(kRecordsWithBlobSql, "bytea, bigint, bigint", "'x', 0, 10", {"using blob_refs_pkey", "using records_pkey"});
  };
  expect_plans();
  put_many(scene_, 2'000, "full");
  scene_.database().run("ANALYZE");
  expect_plans();
}

// A plan that scans an index for every batch would fetch some 50,000 rows.
TEST_F(PostgresIndex, PlansMadeOnAnEmptyStoreStayGood) {
  scene_.index(kEveryKind);
  for (const std::string_view title : {"one", "two", "two", ""}) put_many(scene_, 4'000, title);
  EXPECT_EQ(count("index_entries"), 0);
  EXPECT_EQ(count("index_days"), 0);
  EXPECT_EQ(count("blob_refs"), 0);
  must(scene_.store().sweep(kNow + 91 * kDay, Deadline::never()));
  EXPECT_EQ(count("tombstones"), 0);
  EXPECT_EQ(count("changes"), 0);
  scene_.close();  // a closing connection reports its statistics
  for (const char* table : {"index_entries", "index_days", "blob_refs", "tombstones", "changes"}) {
    EXPECT_LE(fetched(table), 40'000) << table;
    EXPECT_GE(fetched(table), 100) << table;
  }
}

TEST_F(PostgresIndex, AChangeTouchesOnlyTheRowsThatDiffer) {
  scene_.index(kEveryKind);
  scene_.put("a", data(1, 1, "one"));
  const auto places = [&] {
    return scene_.database().value("SELECT string_agg(ctid::text, ' ' ORDER BY index_no, entry) FROM ladder.index_entries");
  };
  const std::string before = places();
  const std::string days = scene_.database().value("SELECT ctid FROM ladder.index_days");
  scene_.put("a", data(1, 1, "one") + " ");
  EXPECT_EQ(places(), before);
  EXPECT_EQ(scene_.database().value("SELECT ctid FROM ladder.index_days"), days);
  scene_.put("a", data(1, 1, "two"));
  EXPECT_NE(places(), before);
  EXPECT_EQ(scene_.database().value("SELECT ctid FROM ladder.index_days"), days) << "the day is the same";
  scene_.expect_sound();
}

// The same key at the same sort position, but another record.
TEST_F(PostgresIndex, ABatchMayDeleteAndRestore) {
  scene_.index(kEveryKind);
  scene_.put("a", data(1, 1, "one"));
  const RecordNo before = scene_.find("a")->no;
  std::vector<RecordWrite> batch;
  batch.push_back(deletion("a"));
  batch.push_back(record_write(scene_.store(), "a", data(1, 1, "one")));
  batch.push_back(record_write(scene_.store(), "b", data(2, 2, "brief")));
  batch.push_back(deletion("b"));
  scene_.write(std::move(batch));
  const auto page = must(must(scene_.store().read(scene_.owner().no))->index_page(index_of(scene_, kNumber), {}, false, 10));
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].record.key, "a");
  EXPECT_NE(page[0].record.no, before);
  scene_.expect_sound();
}

TEST_F(PostgresIndex, ARangeWithoutAnEndReachesTheLastEntry) {
  scene_.index({{"title", kText}});
  scene_.put("short", R"({"title":"zebra"})");
  scene_.put("long", format(R"({{"title":"{}"}})", std::string(100, 'x')));  // is sorted by its digest, after all texts
  const IndexNo index = scene_.indexes().at(0).no;
  const auto reader = must(scene_.store().read(scene_.owner().no));
  EXPECT_EQ(must(reader->index_count(index, {}, 10)), 2);
  const auto last = must(reader->index_page(index, {}, true, 1));
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].record.key, "long");
  EXPECT_EQ(must(reader->order_count(scene_.target().stream, {}, 10)), 2);
}

TEST_F(PostgresIndex, LaterStreamsGetTheirIndexes) {
  scene_.index(kEveryKind);
  scene_.add_connection("home");
  const std::vector<IndexRow> rows = scene_.indexes();
  EXPECT_EQ(rows.size(), 6u);
  for (const IndexRow& row : rows) EXPECT_TRUE(row.ready);
  scene_.expect_sound();
}

// Existing entries are kept, and so is a write between two steps.
TEST_F(PostgresIndex, ReindexingResumesWhereItStopped) {
  put_many(scene_, 1'300, "old");
  scene_.index(kEveryKind);
  for (const IndexRow& row : scene_.indexes()) EXPECT_FALSE(row.ready);
  EXPECT_FALSE(must(scene_.store().reindex(Deadline::after(std::chrono::milliseconds(0)))));
  scene_.expect_sound();
  // Simulates an interrupted step.
  scene_.database().run("UPDATE ladder.indexes SET upto = 'k00000' WHERE kind = 2");
  scene_.put("k00000", data(3, 7, "new"));
  scene_.put("k00900", data(3, 7, "new"));
  scene_.erase("k01000");
  EXPECT_EQ(count("index_entries"), 1) << "only of the key that is done, in the index that has come so far";
  EXPECT_EQ(count("blob_refs"), 1'299) << "kept by every write";
  scene_.expect_sound();
  const std::int64_t version = must(scene_.store().catalog(scene_.owner().no)).owner.catalog_version;
  EXPECT_TRUE(must(scene_.store().reindex(Deadline::never())));
  for (const IndexRow& row : scene_.indexes()) EXPECT_TRUE(row.ready);
  EXPECT_GT(must(scene_.store().catalog(scene_.owner().no)).owner.catalog_version, version);
  EXPECT_EQ(count("index_entries"), 3 * 1'299);
  scene_.expect_sound();
}

TEST_F(PostgresIndex, DroppedIndexesAreSweptInBatches) {
  scene_.index(kEveryKind);
  put_many(scene_, 5'000, "some");
  scene_.index({{"score", kText}});
  EXPECT_EQ(count("dead_indexes"), 3);
  scene_.expect_sound();
  EXPECT_FALSE(must(scene_.store().sweep(kNow, Deadline::after(std::chrono::milliseconds(0)))).complete);
  EXPECT_EQ(count("dead_indexes"), 3);
  EXPECT_TRUE(must(scene_.store().sweep(kNow, Deadline::never())).complete);
  EXPECT_EQ(count("dead_indexes"), 0);
  EXPECT_EQ(count("index_entries"), 0);
  EXPECT_EQ(count("index_days"), 0);
  EXPECT_TRUE(must(scene_.store().reindex(Deadline::never())));
  EXPECT_EQ(count("index_entries"), 5'000);
  scene_.expect_sound();
}

// A running write ends before its stream's indexes change.
TEST_F(PostgresIndex, IndexChangesWaitForARunningWrite) {
  const auto writer = must(Connection::open(must(Address::parse(scene_.database().address()))));
  must(
      writer->script("BEGIN; SELECT set_config('ladder.task', 'whole-store', true); SELECT FROM ladder.streams WHERE name = "
                     "'notes' FOR NO KEY UPDATE"));
  auto change = std::async(std::launch::async, [&] { scene_.index(kEveryKind); });
  EXPECT_EQ(change.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_TRUE(scene_.indexes().empty());
  must(writer->script("ROLLBACK"));
  change.get();
  EXPECT_EQ(scene_.indexes().size(), 3u);
}

// Several programs write, change the declaration, reindex and sweep at once: no deadlock, and nothing is counted twice.
TEST_F(PostgresIndex, SurvivesConcurrentUse) {
  put_many(scene_, 1'500, "old");
  std::atomic<bool> over = false;
  std::atomic<int> batches = 0;
  const WriteTarget target = scene_.target();
  const auto write = [&](int writer) {
    const auto store = must(open_postgres(scene_.database().address(), OpenMode::kExisting));
    for (int round = 0; !over; ++round) {
      std::vector<RecordWrite> batch;
      for (int i = 0; i < 20; ++i) {
        const int at = (round * 37 + i * 71 + writer * 13) % 1'600;
        const std::string key = format("k{:05}", at);
        batch.push_back(round % 5 == 4 ? deletion(key) : record_write(*store, key, data(1 + round % 28, at % 50, "new")));
      }
      must(store->write(target, batch, kNow));
      ++batches;
    }
  };
  const auto keep_up = [&] {
    const auto store = must(open_postgres(scene_.database().address(), OpenMode::kExisting));
    while (!over) {
      must(store->reindex(Deadline::after(std::chrono::milliseconds(50))));
      must(store->sweep(kNow, Deadline::after(std::chrono::milliseconds(20))));
    }
  };
  std::vector<std::future<void>> others;
  others.push_back(std::async(std::launch::async, write, 1));
  others.push_back(std::async(std::launch::async, write, 2));
  others.push_back(std::async(std::launch::async, keep_up));
  others.push_back(std::async(std::launch::async, keep_up));
  for (int round = 0; round < 12; ++round) {
    scene_.index(round % 3 == 0 ? kEveryKind
                                : std::vector<Store::IndexedField>{{"at", kDays}, {"score", round % 2 == 0 ? kText : kNumber}});
    // Each declaration must overlap with some writes.
    const int before = batches;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (batches < before + 2 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  over = true;
  for (auto& other : others) other.get();
  scene_.expect_sound();
  EXPECT_TRUE(must(scene_.store().reindex(Deadline::never())));
  must(scene_.store().sweep(kNow, Deadline::never()));
  EXPECT_EQ(count("dead_indexes"), 0);
  scene_.expect_sound();
}

TEST_F(PostgresIndex, BrokenInvariantsAreFound) {
  scene_.index(kEveryKind);
  scene_.put("a", data(1, 1, "one"));
  scene_.put("b", data(2, 2, "two"));
  scene_.expect_sound();
  const auto broken = [&](const std::string& sql, const std::string& undo) {
    scene_.database().run(sql);
    EXPECT_FALSE(must(scene_.store().check_invariants()).empty()) << sql;
    scene_.database().run(undo);
    scene_.expect_sound();
  };
  broken("UPDATE ladder.index_entries SET entry = '\\x00' || entry",
         "UPDATE ladder.index_entries SET entry = substring(entry FROM 2)");
  broken("INSERT INTO ladder.index_entries VALUES (1, 1, 'x', 1)", "DELETE FROM ladder.index_entries WHERE entry = 'x'");
  broken("INSERT INTO ladder.index_entries VALUES (1, 77, 'x', 1)", "DELETE FROM ladder.index_entries WHERE entry = 'x'");
  broken("UPDATE ladder.index_days SET records = records + 1", "UPDATE ladder.index_days SET records = records - 1");
  broken("UPDATE ladder.index_days SET day = day - 100000", "UPDATE ladder.index_days SET day = day + 100000");
  broken("INSERT INTO ladder.index_days VALUES (1, 1, 5, 0)", "DELETE FROM ladder.index_days WHERE records = 0");
  broken("UPDATE ladder.blob_refs SET record_no = record_no + 10", "UPDATE ladder.blob_refs SET record_no = record_no - 10");
  broken("INSERT INTO ladder.blob_refs VALUES (1, 'x', 1)", "DELETE FROM ladder.blob_refs WHERE digest = 'x'");
  broken("UPDATE ladder.indexes SET kind = 4 WHERE kind = 3", "UPDATE ladder.indexes SET kind = 3 WHERE kind = 4");
  broken("INSERT INTO ladder.dead_indexes SELECT owner_no, index_no FROM ladder.indexes", "DELETE FROM ladder.dead_indexes");
  scene_.database().run("INSERT INTO ladder.dead_indexes VALUES (1, 77)");
  scene_.database().run("INSERT INTO ladder.index_entries VALUES (1, 77, 'x', 1)");
  scene_.database().run("INSERT INTO ladder.index_days VALUES (1, 77, 1, 1)");
  scene_.expect_sound();  // a partly dropped index may have any contents
}

}  // namespace
}  // namespace ladder::store::postgres

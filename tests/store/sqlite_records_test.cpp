// Rows in the SQLite engine, in more detail than the suite of every engine.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/connection.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

std::string long_text(std::size_t size, char fill = 'x') { return std::string(size, fill); }
std::string note(std::string_view title, std::string_view body) { return format(R"({{"title":"{}","body":"{}"}})", title, body); }

std::int64_t count(const Scene& scene, const char* sql) {
  return must(must(Connection::open(scene.path(), Connection::Access::kRead))->read_integer(sql));
}

TEST(SqliteRecords, AreReadWithTheirAccessStatus) {
  Scene scene;
  EXPECT_EQ(scene.put("a", note("one", "two")), Outcome::kAdded);
  const auto reader = must(scene.store().read(scene.owner().no));
  const std::vector<StreamNo> streams = {scene.target("diary").stream, scene.target().stream};
  const GuardedRecords found = must(reader->records({scene.owner().no, 7, 8}, streams, "a"));
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].stream, streams[1]);
  EXPECT_EQ(found.records[0].key, "a");
  EXPECT_EQ(found.records[0].body, note("one", "two"));
  EXPECT_EQ(found.records[0].version, 1);
  EXPECT_EQ(found.records[0].digest, crypto::sha256(note("one", "two")));
  EXPECT_FALSE(found.access_status.token_found);
  EXPECT_FALSE(found.access_status.grant_found);
  EXPECT_GT(found.access_status.catalog_version, 0);
  EXPECT_EQ(must(reader->records({99, 0, 0}, streams, "a")).access_status.catalog_version, -1);
}

TEST(SqliteRecords, ARevocationByAnotherProcessAffectsTheNextRead) {
  Scene scene;
  scene.put("a", note("one", "two"));
  const NewGrant grant{.grant_id = "g", .client_id = "c", .body = "{}", .issued_at = kNow, .expires_at = {}, .single_use = false};
  NewToken token;
  token.hash = crypto::sha256("token");
  must(scene.store().add_grants(scene.owner().no, {&grant, 1}, token));
  const TokenRow found = *must(scene.store().find_token(token.hash));
  const Guard guard{scene.owner().no, found.no, found.grants.at(0).no};
  const std::vector<StreamNo> streams = {scene.target().stream};
  const auto revoked = [&] {
    return must(must(scene.store().read(scene.owner().no))->records(guard, streams, "a")).access_status.grant_revoked;
  };
  const auto earlier = must(scene.store().read(scene.owner().no));
  EXPECT_FALSE(must(earlier->records(guard, streams, "a")).access_status.grant_revoked);
  EXPECT_FALSE(revoked());
  EXPECT_FALSE(revoked());
  const auto other = must(open_sqlite(scene.path(), OpenMode::kExisting));
  must(other->revoke_grant(scene.owner().no, "g", kNow));
  EXPECT_TRUE(revoked());
  EXPECT_TRUE(must(scene.store().access_status(guard)).grant_revoked);
  EXPECT_FALSE(must(earlier->records(guard, streams, "a")).access_status.grant_revoked) << "one view, begun before";
  EXPECT_TRUE(revoked());
}

TEST(SqliteRecords, AReaderSeesOneSnapshot) {
  Scene scene;
  scene.put("a", note("old", ""));
  const auto reader = must(scene.store().read(scene.owner().no));
  const std::vector<StreamNo> streams = {scene.target().stream};
  must(reader->counters(streams[0]));
  scene.put("a", note("new", ""));
  scene.put("b", note("new", ""));
  EXPECT_EQ(must(reader->records({}, streams, "a")).records.at(0).body, note("old", ""));
  EXPECT_EQ(must(reader->counters(streams[0])).records, 1);
  EXPECT_EQ(must(must(scene.store().read(scene.owner().no))->counters(streams[0])).records, 2);
}

TEST(SqliteRecords, EveryOutcomeKeepsTheInvariants) {
  Scene scene;
  EXPECT_EQ(scene.put("a", note("t", long_text(20'000))), Outcome::kAdded);
  EXPECT_EQ(scene.put("a", note("t", long_text(20'000))), Outcome::kUnchanged);
  EXPECT_EQ(scene.put("a", note("u", long_text(20'000))), Outcome::kChanged);
  EXPECT_EQ(scene.put("a", note("u", long_text(9'000, 'y'))), Outcome::kChanged);
  EXPECT_EQ(scene.put("a", R"({"title":"u","body":"short","x":1,"y":2})"), Outcome::kChanged);
  EXPECT_EQ(scene.put("a", R"({"title":"u","body":"short","x":3,"y":4})"), Outcome::kChanged);
  scene.expect_sound();
  EXPECT_EQ(scene.erase("a"), Outcome::kDeleted);
  EXPECT_EQ(scene.erase("a"), Outcome::kAbsent);
  scene.expect_sound();
  EXPECT_EQ(scene.put("a", note("again", "")), Outcome::kAdded);
  scene.expect_sound();
  EXPECT_EQ(count(scene, "SELECT count(*) FROM tombstones"), 0);
  EXPECT_EQ(count(scene, "SELECT count(*) FROM changes"), 1);
}

TEST(SqliteRecords, AnotherMemberOrderIsStoredWithoutANewVersion) {
  Scene scene;
  scene.put("a", R"({"title":"t","body":"b"})");
  EXPECT_EQ(scene.put("a", R"({"body":"b","title":"t"})"), Outcome::kChanged);
  const auto reader = must(scene.store().read(scene.owner().no));
  const std::vector<StreamNo> streams = {scene.target().stream};
  const RecordRow row = must(reader->records({}, streams, "a")).records.at(0);
  EXPECT_EQ(row.body, R"({"body":"b","title":"t"})");
  EXPECT_EQ(row.version, 1);
  scene.expect_sound();
}

TEST(SqliteRecords, OneBatchMayNameAKeyAgain) {
  Scene scene;
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(scene.store(), "a", note("1", "")));
  batch.push_back(record_write(scene.store(), "a", note("2", long_text(5'000))));
  batch.push_back(deletion("a"));
  batch.push_back(record_write(scene.store(), "a", note("3", "")));
  batch.push_back(record_write(scene.store(), "a", note("3", "")));
  const std::vector<Outcome> expected = {Outcome::kAdded, Outcome::kChanged, Outcome::kDeleted, Outcome::kAdded,
                                         Outcome::kUnchanged};
  EXPECT_EQ(must(scene.store().write(scene.target(), batch, kNow)), expected);
  scene.expect_sound();
}

TEST(SqliteRecords, NumbersComeInBlocksThatGrow) {
  Scene scene;
  for (const std::string stream : {"notes", "diary", "notes"}) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 600; ++i)
      batch.push_back(
          record_write(scene.store(), format("{}-{}", i, must(scene.store().reserve_values(scene.owner().no, 1))), "{}"));
    must(scene.store().write(scene.target(stream), batch, kNow));
  }
  scene.expect_sound();
  EXPECT_EQ(
      count(scene, "SELECT group_concat(size) = '256,512,256,512,1024' FROM (SELECT size FROM number_blocks ORDER BY first_no)"),
      1);
}

TEST(SqliteRecords, ChangesComeOncePerRecordAtTheirNewestGrantedVersion) {
  Scene scene;
  const WriteTarget target = scene.target();
  for (int i = 0; i < 30; ++i) scene.put(format("k{:02}", i), note("t", "b"));       // versions 1..30
  for (int i = 0; i < 30; i += 3) scene.put(format("k{:02}", i), note("t2", "b"));   // titles: 31..40
  for (int i = 0; i < 30; i += 5) scene.put(format("k{:02}", i), note("t2", "b2"));  // bodies, and titles of some: 41..46
  scene.erase("k07");                                                                // 47
  scene.expect_sound();
  const auto reader = must(scene.store().read(scene.owner().no));
  const auto versions = [&](std::vector<std::string> names, std::int64_t since, std::int64_t limit) {
    std::vector<FieldNo> fields;
    for (const std::string& name : names) fields.push_back(target.fields.at(name));
    std::vector<std::int64_t> found;
    std::vector<std::string> keys;
    for (const ChangeRow& row : must(reader->changes(target.stream, fields, since, 1'000'000, limit))) {
      found.push_back(row.version);
      EXPECT_EQ(row.deleted, row.key == "k07");
      EXPECT_EQ(std::ranges::count(keys, row.key), 0) << row.key;
      keys.push_back(row.key);
    }
    EXPECT_TRUE(std::ranges::is_sorted(found));
    return found;
  };
  EXPECT_EQ(versions({}, 0, 1000).size(), 30u);
  EXPECT_EQ(versions({}, 30, 1000), std::vector<std::int64_t>{47});
  EXPECT_EQ(versions({"title", "body"}, 0, 1000).size(), 30u);
  // Title changes after version 30: ten of 31..40, except those whose title changed again with the body, and the
  // deletion.
  const std::vector<std::int64_t> whole = versions({"title"}, 30, 1000);
  EXPECT_EQ(whole.back(), 47);
  // Pages of any size give the same result.
  for (const std::int64_t limit : {1, 2, 3, 7}) {
    std::vector<std::int64_t> joined;
    for (std::int64_t since = 30;;) {
      const std::vector<std::int64_t> page = versions({"title"}, since, limit);
      if (page.empty()) break;
      joined.insert(joined.end(), page.begin(), page.end());
      since = page.back();
    }
    EXPECT_EQ(joined, whole);
  }
}

TEST(SqliteRecords, PagesGoBothWaysWithMissingCursorValuesLast) {
  Scene scene;
  std::vector<RecordWrite> batch;
  for (const std::string key : {"\x10"
                                "1",
                                "\x10"
                                "2",
                                "\x30"
                                "3",
                                "\xF0"
                                "4",
                                "\xF0"
                                "5"}) {
    batch.push_back(record_write(scene.store(), key.substr(1), "{}"));
    batch.back().order_key = key;
  }
  const WriteTarget target = scene.target();
  must(scene.store().write(target, batch, kNow));
  const auto reader = must(scene.store().read(scene.owner().no));
  const auto walk = [&](bool descending, std::int64_t limit) {
    std::string keys;
    for (std::string after;;) {
      const std::vector<RecordRow> page = must(reader->page(target.stream, after, descending, limit));
      if (page.empty()) return keys;
      for (const RecordRow& row : page) keys += row.key;
      after = page.back().order_key;
    }
  };
  for (const std::int64_t limit : {1, 2, 3, 4, 5, 6}) {
    EXPECT_EQ(walk(false, limit), "12345");
    EXPECT_EQ(walk(true, limit), "32154");
  }
}

TEST(SqliteRecords, StagedValuesAreAttachedDiscardedOrLost) {
  Scene scene;
  const std::string data = note("t", long_text(3'000'000));
  const auto stage = [&](std::string_view key) {
    const json::Value value = json::value_of(data);
    const SplitPlan plan = must(plan_split(value));
    RecordWrite record;
    record.key = key;
    record.order_key = std::string("\xF0") + std::string(key);
    record.digest = crypto::sha256(data);
    record.value_count = plan.value_count;
    record.first_value = must(scene.store().reserve_values(scene.owner().no, plan.value_count));
    record.staged = true;
    const auto staging = must(scene.store().stage(scene.owner().no, record.first_value, record.value_count, 0));
    record.body = must(split_long_values(value, plan, record.first_value, *staging));
    must(staging->finish());
    return record;
  };
  std::vector<RecordWrite> batch;
  batch.push_back(stage("a"));
  batch.push_back(stage("a"));
  EXPECT_EQ(must(scene.store().write(scene.target(), batch, kNow)), (std::vector<Outcome>{Outcome::kAdded, Outcome::kUnchanged}));
  scene.expect_sound();
  const Instant now = Clock::system().now();
  EXPECT_EQ(must(scene.store().sweep(now, Deadline::never())).values_removed, 1);
  scene.expect_sound();

  std::vector<RecordWrite> late;
  late.push_back(stage("b"));
  EXPECT_EQ(must(scene.store().sweep(now, Deadline::never())).values_removed, 0) << "its lease is not over";
  const SweepReport report = must(scene.store().sweep(now + 120 * kSecond, Deadline::never()));
  EXPECT_EQ(report.values_removed, 1);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(must(scene.store().write(scene.target(), late, kNow)), std::vector<Outcome>{Outcome::kStagingLost});
  scene.expect_sound();
  EXPECT_EQ(count(scene, "SELECT count(*) FROM loose_values"), 0);
  EXPECT_EQ(must(must(scene.store().read(scene.owner().no))->counters(scene.target().stream)).records, 1);
}

TEST(SqliteRecords, AStagingSweptInTheMiddleStopsAndLeavesNothing) {
  Scene scene;
  const ValueId value = must(scene.store().reserve_values(scene.owner().no, 1));
  const auto staging = must(scene.store().stage(scene.owner().no, value, 1, 0));
  must(staging->put_chunk(value, 0, "first"));
  must(staging->finish());
  must(scene.store().sweep(Clock::system().now() + 120 * kSecond, Deadline::never()));
  must(staging->put_chunk(value, 1, "second"));
  const Status finished = staging->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::kStoreUnavailable);
  scene.expect_sound();
}

TEST(SqliteRecords, BlobsAreKeptOncePerOwner) {
  Scene scene;
  const auto stage = [&] {
    const ValueId value = must(scene.store().reserve_values(scene.owner().no, 1));
    const auto staging = must(scene.store().stage(scene.owner().no, value, 1, 0));
    must(staging->put_chunk(value, 0, "bytes"));
    must(staging->finish());
    return value;
  };
  BlobRow blob{.digest = crypto::sha256("bytes"), .size_bytes = 5, .mime_type = "text/plain", .value = stage()};
  must(scene.store().add_blob(scene.owner().no, blob));
  const ValueId kept = blob.value;
  blob.value = stage();
  must(scene.store().add_blob(scene.owner().no, blob));
  EXPECT_EQ(must(scene.store().find_blob(scene.owner().no, blob.digest))->value, kept);
  EXPECT_EQ(must(scene.store().sweep(kNow, Deadline::never())).values_removed, 1);
  scene.expect_sound();
}

TEST(SqliteRecords, ReservedValuesAreUniqueAcrossProcesses) {
  Scene scene;
  const auto other = must(open_sqlite(scene.path(), OpenMode::kExisting));
  std::vector<std::pair<ValueId, ValueId>> ranges;
  for (int i = 0; i < 50; ++i) {
    for (Store* store : {&scene.store(), other.get()}) {
      const std::int64_t size = i % 10 == 9 ? 10'000 : i + 1;
      const ValueId first = must(store->reserve_values(kOwner, size));
      ranges.emplace_back(first, first + size);
    }
  }
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
}

}  // namespace
}  // namespace ladder::store::sqlite

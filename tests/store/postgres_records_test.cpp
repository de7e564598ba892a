// PostgreSQL-specific parts of writing and reading: batches computed in memory, numbers in blocks, cached access
// statuses, plans by index.
#include "postgres_scene.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/staging.h"

namespace ladder::store::postgres {
namespace {

using Outcomes = std::vector<Outcome>;

std::string note(std::string_view title, std::string_view body = "short") {
  return format(R"({{"title":"{}","body":"{}"}})", title, body);
}

std::vector<RecordWrite> batch_of(Scene& scene, std::initializer_list<std::pair<std::string, std::string>> notes) {
  std::vector<RecordWrite> batch;
  for (const auto& [key, data] : notes) batch.push_back(data.empty() ? deletion(key) : record_write(scene.store(), key, data));
  return batch;
}

TEST(PostgresRecords, ReportsEveryOutcome) {
  Scene scene;
  EXPECT_EQ(scene.put("a", note("one")), Outcome::kAdded);
  EXPECT_EQ(scene.put("a", note("one")), Outcome::kUnchanged);
  EXPECT_EQ(scene.put("a", note("two")), Outcome::kChanged);
  EXPECT_EQ(scene.erase("b"), Outcome::kAbsent);
  EXPECT_EQ(scene.erase("a"), Outcome::kDeleted);
  EXPECT_EQ(scene.erase("a"), Outcome::kAbsent);
  EXPECT_EQ(scene.put("a", note("two")), Outcome::kAdded);
  WriteTarget target = scene.target();
  target.append_only = true;
  std::vector<RecordWrite> batch = batch_of(scene, {{"a", note("three")}, {"a", note("two")}, {"c", note("new")}});
  EXPECT_EQ(must(scene.store().write(target, batch, kNow)),
            (Outcomes{Outcome::kAppendOnly, Outcome::kUnchanged, Outcome::kAdded}));
  EXPECT_EQ(scene.find("a")->body, note("two"));
  scene.expect_sound();
}

TEST(PostgresRecords, ABatchMayRepeatAKey) {
  Scene scene;
  scene.put("old", note("before"));
  scene.put("gone", note("before", std::string(5000, 'x')));
  const Outcomes outcomes = scene.write(batch_of(scene, {{"new", note("1", std::string(5000, 'a'))},
                                                         {"new", note("2", std::string(5000, 'b'))},
                                                         {"new", note("2", std::string(5000, 'b'))},
                                                         {"brief", note("1")},
                                                         {"brief", ""},
                                                         {"old", ""},
                                                         {"old", note("after")},
                                                         {"gone", note("other", std::string(5000, 'y'))},
                                                         {"gone", ""},
                                                         {"gone", ""}}));
  EXPECT_EQ(outcomes, (Outcomes{Outcome::kAdded, Outcome::kChanged, Outcome::kUnchanged, Outcome::kAdded, Outcome::kDeleted,
                                Outcome::kDeleted, Outcome::kAdded, Outcome::kChanged, Outcome::kDeleted, Outcome::kAbsent}));
  scene.expect_sound();
  EXPECT_EQ(must(must(scene.store().read(scene.owner().no))->counters(scene.target().stream)).records, 2);
  const auto changes = must(must(scene.store().read(scene.owner().no))->changes(scene.target().stream, {}, 2, kNewest, 100));
  std::vector<std::string> seen;
  for (const ChangeRow& row : changes) seen.push_back(row.key + (row.deleted ? " deleted" : ""));
  EXPECT_EQ(seen, (std::vector<std::string>{"new", "brief deleted", "old", "gone deleted"}));
}

TEST(PostgresRecords, NumbersAreNotReusedAndBlocksGrow) {
  Scene scene;
  for (int round = 0; round < 4; ++round) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 300; ++i) batch.push_back(record_write(scene.store(), format("{}-{}", round, i), note("x")));
    scene.write(std::move(batch), round % 2 == 0 ? "notes" : "diary");
  }
  scene.expect_sound();
  EXPECT_EQ(scene.database().value("SELECT string_agg(size::text, ' ' ORDER BY stream_no, first_no) FROM ladder.number_blocks"),
            "512 1024 512 1024");
  EXPECT_EQ(scene.database().value("SELECT count(DISTINCT record_no) FROM ladder.records"), "1200");
}

TEST(PostgresRecords, KeysAndBodiesHoldAnyByte) {
  Scene scene;
  const std::string key("k\0\xff\x01", 4), long_text = std::string("a\\u0000b").append(6000, 'z');
  EXPECT_EQ(scene.put(key, note("nul", long_text)), Outcome::kAdded);
  const auto record = scene.find(key);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->key, key);
  const auto reference = json::member(record->body, "body");
  ASSERT_TRUE(reference);
  const LongRef ref = must(parse_reference(reference->text));
  const auto chunks = must(must(scene.store().read(scene.owner().no))->chunks(ref.text_id, 0, 10));
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].substr(0, 3), std::string_view("a\0b", 3));
  EXPECT_EQ(chunks[0].size() + chunks[1].size(), 6003u);
  scene.expect_sound();
}

TEST(PostgresRecords, StagedValuesAreAttachedOnceOrLost) {
  Scene scene;
  const std::string data = note("long", std::string(3 * 1024 * 1024, 'q'));
  RecordWrite first = staged_write(scene.store(), "a", data);
  RecordWrite second = first;
  second.key = "b";
  EXPECT_EQ(scene.write({first, second}), (Outcomes{Outcome::kAdded, Outcome::kStagingLost}));
  EXPECT_EQ(scene.write({staged_write(scene.store(), "a", data)}), Outcomes{Outcome::kUnchanged});
  RecordWrite late = staged_write(scene.store(), "c", data);
  scene.expect_sound();
  const SweepReport report =
      must(scene.store().sweep(Clock::system().now() + 120 * kSecond, Deadline::after(milliseconds(20'000))));
  EXPECT_EQ(report.values_removed, 2);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(scene.write({late}), Outcomes{Outcome::kStagingLost});
  EXPECT_EQ(scene.database().value("SELECT count(*) FROM ladder.loose_values"), "0");
  EXPECT_EQ(scene.database().value("SELECT count(DISTINCT value_id) FROM ladder.chunks"), "1");
  scene.expect_sound();
}

TEST(PostgresRecords, ACachedAccessStatusStillSeesARevocation) {
  Scene scene;
  scene.put("a", note("one"));
  const std::vector<NewGrant> grants = {{.grant_id = "g1", .client_id = "c", .body = "{}", .issued_at = kNow, .expires_at = {}},
                                        {.grant_id = "g2", .client_id = "c", .body = "{}", .issued_at = kNow, .expires_at = {}}};
  const NewToken token{.hash = crypto::sha256("secret"),
                       .kind = TokenKind::kClient,
                       .client_id = "c",
                       .created_at = kNow,
                       .expires_at = kNow + kDay};
  must(scene.store().add_grants(scene.owner().no, grants, token));
  const TokenRow row = *must(scene.store().find_token(token.hash));
  ASSERT_EQ(row.grants.size(), 2u);
  const auto read = [&](const GrantRow& grant) {
    const std::vector<StreamNo> streams = {scene.target().stream};
    const auto found =
        must(must(scene.store().read(scene.owner().no))->records({scene.owner().no, row.no, grant.no}, streams, "a"));
    EXPECT_EQ(found.records.size(), 1u);
    EXPECT_EQ(found.access_status.token_expires_at, kNow + kDay);
    return found.access_status;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(read(row.grants[0]).grant_found);
    EXPECT_FALSE(read(row.grants[0]).grant_revoked);
    EXPECT_FALSE(read(row.grants[1]).grant_revoked);
  }
  must(scene.store().revoke_grant(scene.owner().no, "g1", kNow));
  EXPECT_TRUE(read(row.grants[0]).grant_revoked);
  EXPECT_FALSE(read(row.grants[1]).grant_revoked);
  scene.database().run("UPDATE ladder.grants SET revoked_at = 1 WHERE grant_id = 'g2'");
  EXPECT_TRUE(read(row.grants[1]).grant_revoked);
  scene.database().run("UPDATE ladder.tokens SET revoked_at = 1");
  EXPECT_TRUE(read(row.grants[0]).token_revoked);
}

// A window touches a few pages even without statistics, as in a young store.
TEST(PostgresRecords, AWindowTouchesFewPages) {
  Scene scene;
  scene.write({staged_write(scene.store(), "a", note("long", std::string(8 * 1024 * 1024, 'w')))});
  const std::string value = scene.database().value("SELECT max(value_id) FROM ladder.chunks");
  std::string sql = of_owner(kSelectChunksSql);
  for (const auto& [parameter, text] : {std::pair<std::string, std::string>{"$1", value}, {"$2", "1500"}, {"$3", "1501"}}) {
    sql.replace(sql.find(parameter), 2, text);
  }
  scene.database().run(format("ALTER DATABASE \"{}\" SET search_path = ladder", scene.database().name()));
  const std::string plan = scene.database().value("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql);
  EXPECT_NE(plan.find("Index Scan"), std::string::npos) << plan;
  const std::size_t at = plan.find("\"Shared Hit Blocks\": ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LE(std::stoi(plan.substr(at + 21)), 8) << plan;
}

// A connection plans its statements once, possibly while the tables are empty; the plans must still be good when they
// are full. A plan that scans a stream for every batch would fetch some 50,000 rows here.
TEST(PostgresRecords, PlansMadeOnAnEmptyStoreStayGood) {
  Scene scene;
  constexpr int kBatches = 20, kRecords = 100;
  const auto write_all = [&](std::string_view text) {
    for (int i = 0; i < kBatches; ++i) {
      std::vector<RecordWrite> batch;
      for (int n = 0; n < kRecords; ++n) {
        const std::string key = format("{}-{}", i, n);
        batch.push_back(text.empty() ? deletion(key) : record_write(scene.store(), key, note(text, std::string(3700, 'x'))));
      }
      scene.write(std::move(batch));
    }
  };
  write_all("one");
  write_all("two");
  write_all("two");
  must(must(scene.store().read(scene.owner().no))->changes(scene.target().stream, {}, 0, kNewest, 10));
  must(must(scene.store().read(scene.owner().no))->page(scene.target().stream, "", true, 10));
  must(scene.store().sweep(kNow, Deadline::never()));
  write_all("");
  must(scene.store().sweep(kNow, Deadline::never()));
  EXPECT_EQ(scene.database().value("SELECT count(*) FROM ladder.chunks"), "0");
  scene.expect_sound();
  scene.close();  // a closing connection reports its statistics
  for (const char* table : {"records", "tombstones", "changes", "chunks", "loose_values"}) {
    const std::string fetched = scene.database().value(format(
        "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '{}'", table));
    EXPECT_LE(std::stoll(fetched), 20'000) << table;
    EXPECT_GE(std::stoll(fetched), table == std::string("loose_values") ? 0 : 100) << table;
  }
}

TEST(PostgresRecords, BrokenInvariantsAreFound) {
  Scene scene;
  scene.put("a", note("one", std::string(9000, 'x')));
  scene.put("b", note("two"));
  scene.expect_sound();
  const auto broken = [&](const std::string& sql, const std::string& undo) {
    scene.database().run(sql);
    EXPECT_FALSE(must(scene.store().check_invariants()).empty()) << sql;
    scene.database().run(undo);
    scene.expect_sound();
  };
  broken("UPDATE ladder.streams SET record_count = record_count + 1",
         "UPDATE ladder.streams SET record_count = record_count - 1");
  broken("UPDATE ladder.chunks SET chunk_no = 7 WHERE chunk_no = 2", "UPDATE ladder.chunks SET chunk_no = 2 WHERE chunk_no = 7");
  broken("UPDATE ladder.chunks SET value_id = 9 WHERE value_id = 1", "UPDATE ladder.chunks SET value_id = 1 WHERE value_id = 9");
  broken("INSERT INTO ladder.chunks VALUES (1, 4000, 0, 'x')", "DELETE FROM ladder.chunks WHERE value_id = 4000");
  broken("INSERT INTO ladder.directory VALUES (1, 4000, 0, 'x')", "DELETE FROM ladder.directory WHERE value_id = 4000");
  broken("INSERT INTO ladder.loose_values VALUES (1, 1, 1, 1, 0)", "DELETE FROM ladder.loose_values");
  broken("UPDATE ladder.changes SET version = version + 10", "UPDATE ladder.changes SET version = version - 10");
  broken("INSERT INTO ladder.changes SELECT owner_no, stream_no, 20, 1, record_no FROM ladder.records LIMIT 1",
         "DELETE FROM ladder.changes WHERE field_no = 20");
  broken("UPDATE ladder.number_blocks SET first_no = first_no + 1", "UPDATE ladder.number_blocks SET first_no = first_no - 1");
}

}  // namespace
}  // namespace ladder::store::postgres

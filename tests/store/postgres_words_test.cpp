// PostgreSQL-specific parts of the word index: plans, rows and their concurrency, rebuilding for another tokenizer,
// damage.
#include "postgres_scene.h"
#include "store/postgres/search/posting_rows.h"
#include "store/rows/word_search.h"
#include "text/passages.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <thread>

namespace ladder::store::postgres {
namespace {

using Names = std::vector<std::string>;

class PostgresWords : public ::testing::Test {
 protected:
  PostgresWords() { declare({"title", "body"}); }
  void TearDown() override {
    if (!closed_) scene_.expect_sound();
  }

  // Declares the source again with these searchable fields of notes.
  void declare(const Names& searched) {
    SourceRow source;
    source.key = "notes";
    source.source_id = "https://sources.example/notes";
    source.version = format("searched {}", ++version_);
    source.declaration = "{}";
    source.added_at = kNow;
    const std::vector<Store::StreamFields> streams = {{"notes", {"title", "body", "at", "score"}, {}, searched},
                                                      {"diary", {"body"}, {}, {"body"}}};
    must(scene_.store().put_source(scene_.owner().no, source, streams));
  }

  Store& store() { return scene_.store(); }
  std::string value(const std::string& sql) { return scene_.database().value(sql); }
  std::int64_t count(const std::string& what) { return std::stoll(value("SELECT count(*) FROM ladder." + what)); }

  static std::string data(std::string_view title, std::string_view body) {
    return format(R"({{"title":"{}","body":"{}"}})", title, body);
  }
  RecordWrite note(std::string_view key, const std::string& json, std::optional<Instant> time) {
    RecordWrite write = record_write(store(), key, json);
    write.consent_time = time;
    return write;
  }

  WordScope scope(std::string_view stream = "notes") {
    WordScope scope;
    scope.stream = scene_.target(stream).stream;
    scope.columns = stream == "notes" ? 3 : 1;
    scope.timed = true;
    return scope;
  }
  static WordPage page(Store& store, WordSearch& search, std::string_view text) {
    const text::WordQuery query = must(text::parse_word_query(text, {.all = true, .forms = false, .fields = {}}));
    search.query = &query;
    return must(must(store.read(kOwner))->search(search));
  }
  Names keys(std::string_view text) {
    WordSearch search;
    search.scopes = {scope()};
    search.limit = 1'000;
    Names keys;
    for (const WordHit& hit : page(store(), search, text).hits) keys.push_back(hit.record.key);
    std::ranges::sort(keys);
    return keys;
  }

  std::unique_ptr<Connection> connect() { return must(Connection::open(must(Address::parse(scene_.database().address())))); }

  Scene scene_;
  bool closed_ = false;
  int version_ = 0;
};

// --- forms of words ---

// Forms that no record has are skipped until the next write.
TEST_F(PostgresWords, ALaterFormIsFound) {
  const auto found = [&](std::string_view text) {
    const text::WordQuery query = must(text::parse_word_query(text, {.all = false, .forms = true, .fields = {}}));
    WordSearch search;
    search.query = &query;
    search.scopes = {scope()};
    search.limit = 1'000;
    Names keys;
    for (const WordHit& hit : must(must(store().read(kOwner))->search(search)).hits) keys.push_back(hit.record.key);
    std::ranges::sort(keys);
    return keys;
  };
  scene_.put("one", data("letter", "from Anna"));
  scene_.put("two", data("parcel", "from Anna"));
  for (int turn = 0; turn < 2; ++turn) {  // the first turn queries the forms, the second has them cached
    EXPECT_EQ(found("letter"), Names({"one"}));
    EXPECT_EQ(found("anna letter"), Names({"one", "two"}));
    EXPECT_EQ(found("anna -letter"), Names({"two"}));
  }
  scene_.put("three", data("letters", "from Anna"));
  EXPECT_EQ(found("letter"), Names({"one", "three"}));
  EXPECT_EQ(found("anna -letter"), Names({"three", "two"})) << "excluded words have no other forms";
  scene_.put("four", data("none", std::string(4'000, 'x') + " lettering"));  // needs several rows
  EXPECT_EQ(found("lettering"), Names({"four", "one", "three"}));
  scene_.put("three", data("nothing", "else"));
  EXPECT_EQ(found("letter"), Names({"four", "one"}));
}

// --- rows ---

TEST_F(PostgresWords, UnchangedWordsAreNotRewritten) {
  scene_.put("a", R"({"title":"fox","body":"dog","score":1})");
  const std::string blocks = "SELECT string_agg(xmin::text || ctid::text, ' ' ORDER BY ctid) FROM ladder.word_blocks";
  const std::string before = value(blocks);
  scene_.put("a", R"({"title":"fox","body":"dog","score":2})");
  EXPECT_EQ(value(blocks), before);
  scene_.put("a", R"({"title":"fox","body":"cat","score":2})");
  EXPECT_NE(value(blocks), before);
  EXPECT_EQ(keys("fox cat"), Names{"a"});
  EXPECT_EQ(keys("dog"), Names{});
}

TEST_F(PostgresWords, RecordsOfOneRowHaveNoPassages) {
  scene_.put("a", data("fox", "dog"));
  EXPECT_EQ(count("passages"), 0);
  EXPECT_EQ(count("texts"), 0);
  scene_.put("b", data("fox", std::string(4'000, 'x') + " dog"));
  EXPECT_EQ(count("texts WHERE record_no > 0"), 1);
  EXPECT_GE(count("passages"), 2);
  EXPECT_EQ(keys("fox"), (Names{"a", "b"}));
  scene_.put("b", data("fox", "short"));
  EXPECT_EQ(count("texts WHERE record_no > 0"), 0);
  must(store().sweep(kNow + kDay, Deadline::never()));
  EXPECT_EQ(count("texts"), 0);
  EXPECT_EQ(count("passages"), 0);
  EXPECT_EQ(keys("fox"), (Names{"a", "b"}));
}

// A short field with several passages has no value to sweep, so its rows are deleted with the record.
TEST_F(PostgresWords, PassagesOfAShortTextAreDeletedAtOnce) {
  std::string often;
  for (int i = 0; i < 1'000; ++i) often += "a ";
  scene_.put("a", data("fox", often));
  EXPECT_GE(count("passages"), 4);
  scene_.put("a", data("fox", often + "b"));
  EXPECT_EQ(count("texts"), 1);
  EXPECT_EQ(keys("fox b"), Names{"a"});
  scene_.erase("a");
  EXPECT_EQ(count("passages"), 0);
  EXPECT_EQ(count("loose_values"), 0);
}

TEST_F(PostgresWords, ManySmallWritesLeaveFewSegments) {
  for (int i = 0; i < 200; ++i) scene_.put(format("k{}", i), data(format("fox{}", i), "a few words of text"));
  EXPECT_LT(count("word_segments"), 24);
  must(store().sweep(kNow, Deadline::never()));
  EXPECT_LT(count("word_segments"), 24);
  EXPECT_EQ(keys("fox77"), Names{"k77"});
  EXPECT_EQ(keys("few").size(), 200u);
}

// A change of blocks gives their segment a version that no segment ever had, so that cached blocks are no longer used.
TEST_F(PostgresWords, ASegmentThatChangesGetsANewVersion) {
  scene_.put("a", data("fox", "dog"));
  scene_.put("b", data("fox", "cat"));
  const std::string versions = "SELECT string_agg(version::text, ' ' ORDER BY segment_no) FROM ladder.word_segments";
  const std::string before = value(versions);
  EXPECT_EQ(keys("fox"), (Names{"a", "b"}));
  scene_.erase("a");
  EXPECT_NE(value(versions), before);
  EXPECT_EQ(keys("fox"), Names{"b"});
  EXPECT_EQ(keys("dog"), Names{});
}

// No deleted word remains in a block.
TEST_F(PostgresWords, DeletedWordsAreGoneFromTheBlocks) {
  scene_.put("a", data("fox", "unforgettable"));
  scene_.put("b", data("fox", "cat"));
  const std::string with = "word_blocks WHERE position('forgettable'::bytea IN block) > 0";
  EXPECT_EQ(count(with), 1);
  scene_.erase("a");
  EXPECT_EQ(count(with), 0);
}

// --- plans ---

TEST_F(PostgresWords, EveryStatementHasOnePlan) {
  const auto plan_of = [&](const char* sql, const std::string& types, const std::string& values) {
    const auto connection = connect();
    must(connection->script(format("PREPARE p({}) AS {}", types, sql)));
    const std::string explain = format("EXPLAIN EXECUTE p({})", values);
    const Statement statement{explain.c_str()};
    const Rows rows = must(connection->run_one(statement));
    std::string plan;
    for (int row = 0; row < rows.size(); ++row) plan += rows.text(row, 0) + "\n";
    return plan;
  };
  const auto expect = [&](const char* sql, const std::string& types, const std::string& values, const Names& parts) {
    const std::string plan = plan_of(sql, types, values);
    for (const std::string& part : parts) EXPECT_NE(plan.find(part), std::string::npos) << part << "\n" << plan;
    for (const char* bad : {"Seq Scan", "Hash", "Merge", "BitmapAnd"})
      EXPECT_EQ(plan.find(bad), std::string::npos) << bad << "\n" << plan;
  };
  const auto expect_all = [&] {
    expect(kBlocksAtSql, "bigint, bigint[], bytea[]", "1, '{1}', '{\"\"}'", {"word_blocks_pkey"});
    expect(kBlocksAfterSql, "bigint, bigint, bytea, bigint", "1, 1, '', 10", {"word_blocks_pkey"});
  };
  expect_all();
  for (int i = 0; i < 4; ++i) {
    std::vector<RecordWrite> batch;
    for (int k = 0; k < 500; ++k) batch.push_back(note(format("{}-{}", i, k), data("fox", format("dog {}", k)), k));
    scene_.write(std::move(batch));
  }
  scene_.database().run("ANALYZE");
  expect_all();
}

TEST_F(PostgresWords, PlansMadeOnAnEmptyStoreStayGood) {
  std::string often;
  for (int i = 0; i < 600; ++i) often += "a ";
  for (const std::string_view title : {"one", "two", "three", ""}) {
    for (int i = 0; i < 20; ++i) {
      std::vector<RecordWrite> batch;
      for (int k = 0; k < 100; ++k) {
        const std::string key = format("{}-{}", i, k);
        batch.push_back(title.empty() ? deletion(key) : record_write(store(), key, data(title, k % 10 == 0 ? often : "b")));
      }
      scene_.write(std::move(batch));
    }
  }
  must(store().sweep(kNow, Deadline::never()));
  EXPECT_EQ(count("word_blocks"), 0);
  EXPECT_EQ(count("passages"), 0);
  scene_.expect_sound();
  scene_.close();  // a closing connection reports its statistics
  closed_ = true;
  for (const char* table : {"passages", "texts"}) {
    const std::int64_t fetched = std::stoll(value(format(
        "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '{}'", table)));
    EXPECT_LE(fetched, 20'000) << table;
    EXPECT_GE(fetched, 100) << table;
  }
}

// --- maintenance ---

TEST_F(PostgresWords, AnotherTokenizersWordsAreRebuilt) {
  scene_.put("a", data("fox", "dog"));
  scene_.put("long", data("fox", std::string(4'000, 'x') + " dog"));
  RecordWrite staged = record_write(store(), "staged", data("fox", std::string(9'000, 'y') + " cat"));
  {
    const auto staging = must(store().stage(kOwner, staged.first_value, staged.value_count, scene_.target().stream));
    must(staging->begin_text(staged.first_value, "body"));
    for (const ChunkRow& chunk : staged.values.chunks) must(staging->put_chunk(chunk.value, chunk.chunk_no, chunk.bytes));
    must(staging->finish());
    staged.values = {};
    staged.staged = true;
  }
  scene_.database().run("UPDATE ladder.meta SET value = '0' WHERE key = 'words_version'");
  std::vector<RecordWrite> batch;
  batch.push_back(record_write(store(), "b", data("fox", "cat")));
  const auto refused = store().write(scene_.target(), batch, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
  EXPECT_NE(refused.error().message.find("ladder init"), std::string::npos);
  EXPECT_EQ(keys("fox"), (Names{"a", "long"})) << "reading continues";
  EXPECT_TRUE(open_postgres(scene_.database().address(), OpenMode::kExisting));

  const auto opened = must(open_postgres(scene_.database().address(), OpenMode::kCreate));
  EXPECT_EQ(count("word_blocks"), 0);
  EXPECT_FALSE(must(store().catalog(scene_.owner().no)).word_columns.at(0).ready);
  scene_.expect_sound();
  EXPECT_TRUE(must(opened->reindex(Deadline::never())));
  EXPECT_EQ(keys("fox dog"), (Names{"a", "long"}));
  std::vector<RecordWrite> late;
  late.push_back(std::move(staged));
  EXPECT_EQ(scene_.write(std::move(late)).at(0), Outcome::kStagingLost);
  must(store().sweep(Clock::system().now() + kDay, Deadline::never()));
  EXPECT_EQ(count("loose_values"), 0);
}

// A long text is indexed in steps; the next caller continues after an expired deadline.
TEST_F(PostgresWords, ALongTextIsReindexedInSteps) {
  std::string words;
  for (int i = 0; i < 120'000; ++i) words += format("w{} {} ", i, i % 7 == 0 ? "東京都" : "and");
  scene_.put("a", format(R"({{"title":"{}","body":"first {} last"}})", words, words));
  declare({"body", "score"});
  int steps = 0;
  bool done = false;
  std::int64_t most = 0;
  while (!done) {
    const auto other = must(open_postgres(scene_.database().address(), OpenMode::kExisting));
    ++steps;
    done = must((steps % 2 == 0 ? *other : store()).reindex(Deadline::after(steps * std::chrono::milliseconds(1))));
    most = std::max(most, count("passages"));
    EXPECT_LE(count("texts WHERE record_no > 0"), 1);
    ASSERT_LT(steps, 10'000);
  }
  EXPECT_GE(steps, 4);
  EXPECT_GT(most, 100);
  EXPECT_EQ(count("loose_values WHERE state = 0"), 0);
  WordSearch search;
  search.scopes = {scope()};
  search.scopes[0].columns = 2;  // the body kept its column
  search.limit = 10;
  EXPECT_EQ(page(store(), search, "first last \"w119999 and\"").matches, 1);
}

TEST_F(PostgresWords, AllowsConcurrentWritersReindexersAndSearches) {
  std::atomic<bool> over = false;
  std::atomic<int> batches = 0;
  const auto write = [&](unsigned seed) {
    std::mt19937 random(seed);
    while (!over) {
      std::vector<RecordWrite> batch;
      for (int i = 0; i < 8; ++i) {
        const std::string key = format("k{}", random() % 40);
        const std::string text = format("w{} ", random() % 10);
        const bool is_long = random() % 4 == 0;
        batch.push_back(random() % 5 == 0
                            ? deletion(key)
                            : record_write(store(), key, data(text, is_long ? std::string(5'000, 'x') + " " + text : text)));
      }
      scene_.write(std::move(batch));
      ++batches;
    }
  };
  const auto reindex = [&] {
    while (!over) must(store().reindex(Deadline::after(std::chrono::milliseconds(20))));
  };
  const auto sweep = [&] {
    while (!over) must(store().sweep(kNow, Deadline::after(std::chrono::milliseconds(50))));
  };
  const auto find = [&] {
    while (!over) {
      for (const std::string& key : keys("w3")) EXPECT_FALSE(key.empty());
    }
  };
  std::vector<std::future<void>> others;
  others.push_back(std::async(std::launch::async, write, 1));
  others.push_back(std::async(std::launch::async, write, 2));
  others.push_back(std::async(std::launch::async, reindex));
  others.push_back(std::async(std::launch::async, reindex));
  others.push_back(std::async(std::launch::async, sweep));
  others.push_back(std::async(std::launch::async, find));
  for (int round = 0; round < 12; ++round) {
    declare(round % 3 == 0 ? Names{"title", "body"} : round % 3 == 1 ? Names{"body", "score"} : Names{"title"});
    // Each declaration must overlap with some writes.
    const int before = batches;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (batches < before + 2 && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  declare({"title", "body"});
  over = true;
  for (auto& other : others) other.get();
  scene_.expect_sound();
  EXPECT_TRUE(must(store().reindex(Deadline::never())));
  must(store().sweep(kNow + kDay, Deadline::never()));
  EXPECT_EQ(count("word_columns WHERE state <> 0"), 0);
}

TEST_F(PostgresWords, ASearchEndsWithItsDeadline) {
  scene_.put("a", data("fox", "dog"));
  const text::WordQuery query = must(text::parse_word_query("fox"));
  WordSearch search;
  search.query = &query;
  search.scopes = {scope()};
  search.limit = 10;
  search.deadline = Deadline::after(std::chrono::milliseconds(0));
  const auto late = must(store().read(kOwner))->search(search);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kDeadline);
}

TEST_F(PostgresWords, BrokenInvariantsAreFound) {
  scene_.put("a", data("fox", "dog"));
  scene_.put("b", data("cat", std::string(4'000, 'x') + " dog"));
  scene_.expect_sound();
  const auto broken = [&](const std::string& sql, const std::string& undo) {
    scene_.database().run(sql);
    EXPECT_FALSE(must(store().check_invariants()).empty()) << sql;
    scene_.database().run(undo);
    scene_.expect_sound();
  };
  const auto broken_update = [&](const std::string& table, const std::string& column, const std::string& set,
                                 const std::string& back) {
    broken(format("UPDATE ladder.{} SET {} = {}", table, column, set),
           format("UPDATE ladder.{} SET {} = {}", table, column, back));
  };
  broken_update("texts", "record_no", "record_no + 100", "record_no - 100");
  broken_update("texts", "owner_no", "owner_no + 1", "owner_no - 1");
  broken_update("passages", "start_char", "start_char + 1", "start_char - 1");
  broken_update("passages", "row_id", "row_id + 1000000", "row_id - 1000000");
  broken_update("passages", "column_no", "1 - column_no", "1 - column_no");
  broken_update("word_blocks", "sum", "sum + 1", "sum - 1");
  broken_update("word_blocks", "owner_no", "owner_no + 1", "owner_no - 1");
  scene_.database().run("CREATE TABLE kept AS SELECT * FROM ladder.word_blocks");
  broken("UPDATE ladder.word_blocks SET block = block || '\\x00'",
         "UPDATE ladder.word_blocks w SET block = k.block FROM kept k"
         " WHERE k.segment_no = w.segment_no AND k.key = w.key");
  broken("DELETE FROM ladder.word_blocks", "INSERT INTO ladder.word_blocks SELECT * FROM kept");
  scene_.database().run("CREATE TABLE passage AS SELECT * FROM ladder.passages ORDER BY row_id LIMIT 1");
  broken("DELETE FROM ladder.passages p USING passage o WHERE o.row_id = p.row_id",
         "INSERT INTO ladder.passages SELECT * FROM passage");
  broken("INSERT INTO ladder.passages SELECT owner_no, row_id + 99, value_id, column_no, start_char, end_char FROM passage",
         "DELETE FROM ladder.passages p USING passage o WHERE p.row_id = o.row_id + 99");
  broken("UPDATE ladder.word_columns SET state = 1", "UPDATE ladder.word_columns SET state = 0");
  broken("INSERT INTO ladder.word_columns SELECT owner_no, stream_no, 7, field_no + 1000, 0 FROM ladder.word_columns LIMIT 1",
         "DELETE FROM ladder.word_columns WHERE column_no = 7");
  broken("UPDATE ladder.records SET word_mask = 1", "UPDATE ladder.records SET word_mask = 3");
}

}  // namespace
}  // namespace ladder::store::postgres

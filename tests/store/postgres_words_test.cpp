// The word index on PostgreSQL, where this engine has its own ways: lexemes and their quoting, plans, the list of new words, what
// is ranked and what follows by time, rebuilding for another tokenizer.
#include "postgres_scene.h"
#include "store/postgres/search/lexemes.h"
#include "store/postgres/search/word_rows.h"
#include "store/postgres/search/word_search.h"
#include "store/text/passages.h"
#include "store/word_search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <map>
#include <random>
#include <set>
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

  // The source again, with these fields of the notes searched.
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
    const WordQuery query = must(parse_word_query(text, {.all = true, .forms = false, .fields = {}}));
    search.query = &query;
    return must(must(store.read())->search(search));
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

// The forms that no record has are left out until somebody writes.
TEST_F(PostgresWords, AFormThatComesLaterIsFound) {
  const auto found = [&](std::string_view text) {
    const WordQuery query = must(parse_word_query(text, {.all = false, .forms = true, .fields = {}}));
    WordSearch search;
    search.query = &query;
    search.scopes = {scope()};
    search.limit = 1'000;
    Names keys;
    for (const WordHit& hit : must(must(store().read())->search(search)).hits) keys.push_back(hit.record.key);
    std::ranges::sort(keys);
    return keys;
  };
  scene_.put("one", data("letter", "from Anna"));
  scene_.put("two", data("parcel", "from Anna"));
  for (int turn = 0; turn < 2; ++turn) {  // asked for, then known
    EXPECT_EQ(found("letter"), Names({"one"}));
    EXPECT_EQ(found("anna letter"), Names({"one", "two"}));
    EXPECT_EQ(found("anna -letter"), Names({"two"}));
  }
  scene_.put("three", data("letters", "from Anna"));
  EXPECT_EQ(found("letter"), Names({"one", "three"}));
  EXPECT_EQ(found("anna -letter"), Names({"three", "two"})) << "what is excluded is meant as it is";
  scene_.put("four", data("none", std::string(4'000, 'x') + " lettering"));  // of several rows
  EXPECT_EQ(found("lettering"), Names({"four", "one", "three"}));
  scene_.put("three", data("nothing", "else"));
  EXPECT_EQ(found("letter"), Names({"four", "one"}));
}

// --- lexemes ---

TEST_F(PostgresWords, AWordVectorIsAsPostgresSendsIt) {
  WordVector vector;
  vector.add(12, 0, "the fox the \x01the 東 \x01東京 京", true);
  vector.add(12, 31, "fox", false);
  const std::string sent = vector.take();
  TsVectorArray array;
  array.add(sent);
  const auto connection = connect();
  constexpr Statement kBack{"SELECT v, v::text FROM unnest($1::tsvector[]) AS v"};
  const Rows rows = must(connection->run_one(kBack, array));
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows.bytes(0, 0), sent);
  EXPECT_EQ(rows.bytes(0, 1), "'12A\x01the':3A '12A\x01東京':4A '12Afox':2A '12Athe':1A,3A '12A京':5A '12A東':4A '12ffox':1");
}

TEST_F(PostgresWords, OnlyTheFirstWordsOfAFieldAreEarly) {
  const std::string words = "a b c d e f g h i j k l m";
  WordVector first, later;
  first.add(1, 1, words, true);
  later.add(1, 1, words, false);
  TsVectorArray array;
  array.add(first.take());
  array.add(later.take());
  const auto connection = connect();
  constexpr Statement kLabels{
      "SELECT v @@ '''1Bl'':A', v @@ '''1Bm'':A', v @@ '''1Bl'' <-> ''1Bm''' FROM unnest($1::tsvector[]) AS v"};
  const Rows rows = must(connection->run_one(kLabels, array));
  EXPECT_TRUE(rows.boolean(0, 0));
  EXPECT_FALSE(rows.boolean(0, 1));
  EXPECT_FALSE(rows.boolean(1, 0));
  EXPECT_TRUE(rows.boolean(0, 2) && rows.boolean(1, 2));
}

TEST_F(PostgresWords, QueriesAreQuoted) {
  const auto connection = connect();
  constexpr Statement kMatches{
      "SELECT v @@ $2::tsquery, v @@ ($3::tsquery[])[1], ($3::tsquery[])[2] IS NULL FROM unnest($1::tsvector[]) AS v"};
  for (const std::string word :
       {"plain", "it's", "back\\slash", "quo\"te", "br{a}ce,", "a:*b", "(x|y)&!z", "<->", "\x01東京", "'", "\\", "''\\\\"}) {
    WordVector vector;
    vector.add(1, 0, word, true);
    TsVectorArray array;
    array.add(vector.take());
    const WordTerm term{.words = {word}, .prefix = false}, other{.words = {word + "x"}, .prefix = false},
        beginning{.words = {word.substr(0, 1)}, .prefix = true};
    const auto matches = [&](const WordTerm& asked) {
      const std::string query = term_query(1, 1, asked);
      const std::vector<std::optional<std::string>> queries = {query, std::nullopt};
      const Rows rows = must(connection->run_one(kMatches, array, TextForm{query}, TextForm{query_array(queries)}));
      EXPECT_TRUE(rows.boolean(0, 2));
      EXPECT_EQ(rows.boolean(0, 0), rows.boolean(0, 1));
      return rows.boolean(0, 0);
    };
    EXPECT_TRUE(matches(term)) << word;
    EXPECT_FALSE(matches(other)) << word;
    EXPECT_TRUE(matches(beginning)) << word;
  }
}

TEST_F(PostgresWords, LexemesBelongToOwnersAndColumns) {
  scene_.put("a", data("fox", "dog"));
  const OwnerNo owner = scene_.owner().no;
  EXPECT_EQ(value("SELECT string_agg(word, ' ' ORDER BY word) FROM ts_stat('SELECT tsv FROM ladder.words')"),
            format("{}Afox {}Bdog", owner, owner));
  EXPECT_EQ(count(format("words WHERE tsv @@ '''{}Afox'''", owner)), 1);
  EXPECT_EQ(count(format("words WHERE tsv @@ '''{}Afox'''", owner + 1)), 0);
  EXPECT_EQ(count(format("words WHERE tsv @@ '''{}Bfox'''", owner)), 0);
}

// --- rows ---

TEST_F(PostgresWords, WordsThatStayAreNotWrittenAgain) {
  scene_.put("a", R"({"title":"fox","body":"dog","score":1})");
  const std::string row = "SELECT xmin::text || ctid::text FROM ladder.words";
  const std::string before = value(row);
  scene_.put("a", R"({"title":"fox","body":"dog","score":2})");
  EXPECT_EQ(value(row), before);
  scene_.put("a", R"({"title":"fox","body":"cat","score":2})");
  EXPECT_NE(value(row), before);
  const std::string changed = value(row);
  std::vector<RecordWrite> later;
  later.push_back(note("a", R"({"title":"fox","body":"cat","score":3})", 5));
  scene_.write(std::move(later));
  EXPECT_NE(value(row), changed) << "the time is in the row";
  EXPECT_EQ(value("SELECT place FROM ladder.words"), "-6");
}

TEST_F(PostgresWords, OnlyStreamsWithPassagesAreAskedForThem) {
  scene_.put("a", data("fox", "dog"));
  EXPECT_EQ(value("SELECT bool_or(has_texts) FROM ladder.streams"), "f");
  EXPECT_EQ(count("passages"), 0);
  scene_.put("b", data("fox", std::string(4'000, 'x') + " dog"));
  EXPECT_EQ(value("SELECT count(*) FROM ladder.streams WHERE has_texts"), "1");
  EXPECT_EQ(count("words"), 1);
  EXPECT_GE(count("passages"), 2);
  EXPECT_EQ(keys("fox"), (Names{"a", "b"}));
  scene_.put("b", data("fox", "short"));
  EXPECT_EQ(count("texts"), 0);
  must(store().sweep(kNow + kDay, Deadline::never()));
  EXPECT_EQ(count("passages"), 0);
  EXPECT_EQ(keys("fox"), (Names{"a", "b"}));
}

// A text of one short field in several passages has no value that could be swept, so its rows go with the record.
TEST_F(PostgresWords, PassagesOfAShortTextGoAtOnce) {
  std::string often;
  for (int i = 0; i < 1'000; ++i) often += "a ";
  scene_.put("a", data("fox", often));
  EXPECT_GE(count("passages"), 4);
  EXPECT_EQ(count("words"), 0);
  scene_.put("a", data("fox", often + "b"));
  EXPECT_EQ(count("texts"), 1);
  EXPECT_EQ(keys("fox b"), Names{"a"});
  scene_.erase("a");
  EXPECT_EQ(count("passages"), 0);
  EXPECT_EQ(count("loose_values"), 0);
}

TEST_F(PostgresWords, SweepingMergesNewWords) {
  for (int i = 0; i < 50; ++i) scene_.put(format("k{}", i), data(format("fox{}", i), "a few words of text"));
  scene_.put("long", data("fox", std::string(4'000, 'x') + " dog"));
  must(store().sweep(kNow, Deadline::never()));
  EXPECT_EQ(value("SELECT gin_clean_pending_list('ladder.words_gin')"), "0");
  EXPECT_EQ(value("SELECT gin_clean_pending_list('ladder.passages_gin')"), "0");
  scene_.put("k0", data("other", "words"));
  EXPECT_NE(value("SELECT gin_clean_pending_list('ladder.words_gin')"), "0") << "there is such a list";
  EXPECT_EQ(value("SELECT option_value FROM pg_class, pg_options_to_table(reloptions) WHERE relname = 'words_gin'"
                  " AND option_name = 'gin_pending_list_limit'"),
            "1024");
}

// --- plans ---

TEST_F(PostgresWords, EveryStatementHasItsOnePlan) {
  const auto plan_of = [&](const char* sql, const std::string& types, const std::string& values) {
    const auto connection = connect();
    must(connection->script("SET enable_bitmapscan = on"));
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
  const std::string few = "tsquery, bigint[], bigint[], bigint[], bigint, text[]",
                    few_values = "'a', '{1}', '{0}', '{9}', 10, '{a}'";
  const std::string walk = "tsquery, bigint[], bigint[], bytea[], bigint[], text[], bigint",
                    walk_values = "'a', '{1}', '{0}', '{\"\"}', '{9}', '{a}', 10";
  const auto expect_all = [&] {
    expect(kFindWordsSql, few, few_values, {"Bitmap Index Scan on words_gin"});
    expect(kFindWordsInOrderSql, few + ", bigint[], bigint, bytea, bigint[]", few_values + ", '{1}', 0, '', '{0}'",
           {"Bitmap Index Scan on words_gin"});
    expect(kWalkWordsSql, walk, walk_values, {"Index Scan using words_by_place"});
    expect(kWalkWordsByKeySql, walk, walk_values, {"Index Scan using records_by_key", "Index Scan using words_pkey"});
    expect(kPresentFormsSql, "tsquery[]", "'{a,b}'", {"Bitmap Index Scan on words_gin", "Bitmap Index Scan on passages_gin"});
    expect(kProbeWordsSql, "tsquery, bigint[], bigint", "'a', '{1}', 10", {"Index Scan using words_by_place"});
    expect(kFindPassagesSql, "tsquery, bigint[], bigint[]", "'a', '{1}', NULL", {"Bitmap Index Scan on passages_gin"});
    expect(kRecordsOfTextsSql, "bigint[]", "'{1}'", {"texts_pkey", "records_pkey"});
    expect(kReadPassagesSql, "tsquery, bigint[], bigint[], text[]", "'a', '{1}', '{1}', '{a}'",
           {"Bitmap Index Scan on passages_gin"});
    expect(kCountWordsSql, "tsquery, bigint[], bigint[], bigint[], bigint", "'a', '{1}', '{0}', '{9}', 10",
           {"Bitmap Index Scan on words_gin"});
    expect(kFindWordsAtAllTimesSql, "tsquery, bigint[], bigint, text[]", "'a', '{1}', 10, '{a}'",
           {"Bitmap Index Scan on words_gin"});
    expect(kCountWordsAtAllTimesSql, "tsquery, bigint[], bigint", "'a', '{1}', 10", {"Bitmap Index Scan on words_gin"});
    expect(kPassagePlacesSql, "bigint[], bigint[]", "'{1}', '{1}'", {"passages_pkey"});
    expect(kRecordsByNumberSql, "bigint[]", "'{1}'", {"records_pkey"});
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
  EXPECT_EQ(count("words"), 0);
  EXPECT_EQ(count("passages"), 0);
  scene_.expect_sound();
  scene_.close();  // a connection that ends hands in its counts
  closed_ = true;
  for (const char* table : {"words", "passages", "texts"}) {
    const std::int64_t fetched = std::stoll(value(format(
        "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = '{}'", table)));
    EXPECT_LE(fetched, 20'000) << table;
    EXPECT_GE(fetched, 100) << table;
  }
}

// --- what is ranked ---

// A store that ranks few, and two streams with words that are as common as they are said to be.
class PostgresHorizon : public PostgresWords {
 protected:
  static constexpr std::int64_t kRanked = 50;
  static constexpr int kRecords = 1'200;

  PostgresHorizon() : few_(must(open_postgres(scene_.database().address(), OpenMode::kExisting, kRanked))) {
    std::mt19937 random(7);
    for (int from = 0; from < kRecords; from += 200) {
      std::vector<RecordWrite> notes, diary;
      for (int i = from; i < from + 200; ++i) {
        const std::string text = format("{}{}{}", random() % 10 < 9 ? "most " : "", random() % 10 == 0 ? "some " : "",
                                        random() % 3 == 0 ? "most some" : "");
        const auto time = random() % 20 == 0 ? std::nullopt : std::optional<Instant>(static_cast<Instant>(random() % 400));
        (i % 2 == 0 ? notes : diary).push_back(note(format("k{:04}", i), body(text, i % 40 == 0), time));
      }
      scene_.write(std::move(notes));
      scene_.write(std::move(diary), "diary");
    }
  }

  // Some records have several rows.
  static std::string body(const std::string& text, bool in_passages) {
    return data("note", text + (in_passages ? std::string(4'000, 'x') + " " + text : ""));
  }

  WordSearch search_of(bool timed) {
    WordSearch search;
    search.scopes = {scope(), scope("diary")};
    for (WordScope& each : search.scopes) each.timed = timed;
    search.limit = 23;
    return search;
  }

  struct Walk {
    std::vector<WordHit> hits;
    std::int64_t ranked = 0;
  };
  // All pages; between them `meanwhile` happens.
  Walk walk(Store& store, WordSearch search, std::string_view text, const std::function<void(int)>& meanwhile = {}) {
    Walk all;
    for (int number = 0;; ++number) {
      WordPage found = page(store, search, text);
      if (number == 0) all.ranked = found.ranked;
      EXPECT_EQ(found.all_ranked, !found.horizon);
      EXPECT_EQ(found.exact, !found.horizon);
      EXPECT_GE(found.matches, std::ssize(found.hits));
      for (WordHit& hit : found.hits) all.hits.push_back(std::move(hit));
      if (!found.more) return all;
      EXPECT_EQ(std::ssize(found.hits), search.limit);
      search.after = all.hits.back().place;
      search.horizon = found.horizon;
      search.weights = found.weights;
      if (meanwhile) meanwhile(number);
    }
  }

  static auto by_time(const WordHit& hit) { return std::tuple(word_place(hit.place.time), hit.place.key, hit.place.scope); }
  static auto by_score(const WordHit& hit) { return std::tuple(-hit.place.score, by_time(hit)); }

  std::unique_ptr<Store> few_;
};

// The newest are ranked, the others follow by time, and none is lost or comes twice: whether a word is in most records, which are
// then walked by time, or in some, which the word index finds.
TEST_F(PostgresHorizon, TheNewestAreRankedAndTheOthersFollow) {
  for (const char* const text : {"most", "some", "most some", "most -some"}) {
    for (const bool timed : {true, false}) {
      std::vector<WordHit> all = walk(store(), search_of(timed), text).hits;
      ASSERT_GT(std::ssize(all), 2 * kRanked);
      std::ranges::sort(all, {}, by_time);
      std::ranges::sort(all.begin(), all.begin() + kRanked, {}, by_score);
      const Walk found = walk(*few_, search_of(timed), text);
      EXPECT_EQ(found.ranked, kRanked);
      ASSERT_EQ(found.hits.size(), all.size()) << text;
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(by_time(found.hits[i]), by_time(all[i])) << text << " " << timed << " " << i;
        EXPECT_EQ(found.hits[i].place.score, i < kRanked ? all[i].place.score : -1);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(PostgresHorizon, ChecksComeBeforeTheHorizon) {
  const auto accept = [](std::size_t, const RecordRow& row) -> Result<bool> { return row.key.back() == '4'; };
  const auto checked = [&] {
    WordSearch search = search_of(true);
    search.scopes[0].checked = search.scopes[1].checked = true;
    search.accept = accept;
    return search;
  };
  std::vector<WordHit> all = walk(store(), checked(), "most").hits;
  ASSERT_GT(std::ssize(all), kRanked);
  std::ranges::sort(all, {}, by_time);
  std::ranges::sort(all.begin(), all.begin() + kRanked, {}, by_score);
  const Walk found = walk(*few_, checked(), "most");
  EXPECT_EQ(found.ranked, kRanked);
  ASSERT_EQ(found.hits.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(by_time(found.hits[i]), by_time(all[i])) << i;

  // Fewer than are ranked, of more that are not accepted.
  WordSearch rare = search_of(true);
  rare.scopes[0].checked = rare.scopes[1].checked = true;
  rare.accept = [](std::size_t, const RecordRow& row) -> Result<bool> { return row.key.ends_with("00"); };
  const WordPage few = page(*few_, rare, "note most*");
  EXPECT_TRUE(few.all_ranked);
  EXPECT_TRUE(few.exact);
  EXPECT_LE(few.matches, 12);
  EXPECT_EQ(few.matches, page(store(), rare, "note most*").matches);
}

TEST_F(PostgresHorizon, WhatStaysComesOnceWhileOthersComeAndGo) {
  std::vector<WordHit> before = walk(store(), search_of(true), "most").hits;
  std::set<std::pair<std::size_t, std::string>> touched;
  const auto meanwhile = [&](int number) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 5; ++i) batch.push_back(note(format("new{}-{}", number, i), data("", "most"), 1'000 + number));
    const std::string gone = format("k{:04}", number * 2), changed = format("k{:04}", 600 + number * 2);
    batch.push_back(deletion(gone));
    batch.push_back(note(changed, data("", "most most most"), 2));
    touched.emplace(0, gone);
    touched.emplace(0, changed);
    scene_.write(std::move(batch));
  };
  const Walk found = walk(*few_, search_of(true), "most", meanwhile);
  std::map<std::pair<std::size_t, std::string>, int> times;
  for (const WordHit& hit : found.hits) ++times[{hit.place.scope, hit.place.key}];
  for (const WordHit& hit : before) {
    const std::pair at(hit.place.scope, hit.place.key);
    if (!touched.contains(at)) {
      EXPECT_EQ(times[at], 1) << at.second;
    }
  }
}

TEST_F(PostgresHorizon, BoundsOfTimeApplyInEveryWay) {
  for (const char* const text : {"most", "some"}) {
    for (Store* const asked : {&store(), few_.get()}) {
      WordSearch search = search_of(true);
      search.scopes[0].since = 100;
      search.scopes[1].until = 300;
      std::set<std::string> found;
      for (const WordHit& hit : walk(*asked, search, text).hits) {
        found.insert(hit.place.key);
        ASSERT_TRUE(hit.place.time);
        EXPECT_TRUE(hit.place.scope == 0 ? *hit.place.time >= 100 : *hit.place.time < 300);
      }
      std::set<std::string> wanted;
      for (const WordHit& hit : walk(store(), search_of(true), text).hits) {
        if (hit.place.time && (hit.place.scope == 0 ? *hit.place.time >= 100 : *hit.place.time < 300))
          wanted.insert(hit.place.key);
      }
      EXPECT_EQ(found, wanted);
    }
  }
}

// --- upkeep ---

TEST_F(PostgresWords, AnotherTokenizersWordsAreMadeAnew) {
  scene_.put("a", data("fox", "dog"));
  scene_.put("long", data("fox", std::string(4'000, 'x') + " dog"));
  RecordWrite staged = record_write(store(), "staged", data("fox", std::string(9'000, 'y') + " cat"));
  {
    const auto staging = must(store().stage(staged.first_value, staged.value_count, scene_.target().stream));
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
  EXPECT_EQ(keys("fox"), (Names{"a", "long"})) << "reading goes on";
  EXPECT_TRUE(open_postgres(scene_.database().address(), OpenMode::kExisting));

  const auto opened = must(open_postgres(scene_.database().address(), OpenMode::kCreate));
  EXPECT_EQ(count("words"), 0);
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

// A long text is cut in steps; what a deadline interrupts is gone on with, by whoever comes next.
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
    most = std::max(most, count("passages WHERE text_no IN (SELECT words_text FROM ladder.streams)"));
    EXPECT_LE(count("texts"), 1);
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

TEST_F(PostgresWords, WritersReindexersAndSearchesAtOnce) {
  std::atomic<bool> over = false;
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
    std::this_thread::sleep_for(std::chrono::milliseconds(80));
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
  const WordQuery query = must(parse_word_query("fox"));
  WordSearch search;
  search.query = &query;
  search.scopes = {scope()};
  search.limit = 10;
  search.deadline = Deadline::after(std::chrono::milliseconds(0));
  const auto late = must(store().read())->search(search);
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
  broken_update("words", "place", "place - 1", "place + 1");
  broken_update("words", "key", "key || 'x'", "'a'");
  broken_update("words", "stream_no", "stream_no + 100", "stream_no - 100");
  broken_update("words", "record_no", "record_no + 100", "record_no - 100");
  scene_.database().run("CREATE TABLE kept AS SELECT * FROM ladder.words");
  broken("UPDATE ladder.words SET tsv = setweight(tsv, 'B')", "UPDATE ladder.words w SET tsv = k.tsv FROM kept k");
  broken("DELETE FROM ladder.words", "INSERT INTO ladder.words SELECT * FROM kept");
  broken_update("texts", "record_no", "record_no + 100", "record_no - 100");
  broken_update("passages", "start_char", "start_char + 1", "start_char - 1");
  broken_update("passages", "text_no", "text_no + 1000000", "text_no - 1000000");
  broken_update("passages", "stream_no", "stream_no + 1", "stream_no - 1");
  broken_update("passages", "column_no", "1 - column_no", "1 - column_no");
  scene_.database().run("CREATE TABLE passage AS SELECT * FROM ladder.passages WHERE passage_no = 0");
  broken("DELETE FROM ladder.passages WHERE passage_no = 0", "INSERT INTO ladder.passages SELECT * FROM passage");
  broken("INSERT INTO ladder.passages SELECT text_no, 99, stream_no, value_id, column_no, start_char, end_char, tsv FROM passage",
         "DELETE FROM ladder.passages WHERE passage_no = 99");
  broken("UPDATE ladder.word_columns SET state = 1", "UPDATE ladder.word_columns SET state = 0");
  broken("INSERT INTO ladder.word_columns SELECT stream_no, 7, field_no + 1000, 0 FROM ladder.word_columns LIMIT 1",
         "DELETE FROM ladder.word_columns WHERE column_no = 7");
  broken("UPDATE ladder.records SET word_mask = 1", "UPDATE ladder.records SET word_mask = 3");
  broken("UPDATE ladder.streams SET has_texts = NOT has_texts", "UPDATE ladder.streams SET has_texts = NOT has_texts");
  broken("INSERT INTO ladder.loose_values SELECT 0, 0, 1, 0, text_no FROM ladder.texts",
         "DELETE FROM ladder.loose_values WHERE first_value = 0");
}

}  // namespace
}  // namespace ladder::store::postgres

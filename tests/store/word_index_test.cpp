// The word index as stored: what is found when, in which order, and how it changes.
#include "word_index_suite.h"

#include "base/text/utf8.h"

#include <set>
#include <thread>

namespace ladder::store {
namespace {

LADDER_FOR_EVERY_ENGINE(WordIndexSuite);

TEST_P(WordIndexSuite, EachStreamHasItsColumns) {
  const Catalog catalog = must(store().catalog(world().owner()));
  ASSERT_EQ(catalog.word_columns.size(), 2u);
  for (const WordColumnRow& row : catalog.word_columns) EXPECT_TRUE(row.ready);
  EXPECT_EQ(std::popcount(columns()), 2);
  EXPECT_NE(column("title"), column("body"));
  EXPECT_TRUE(must(store().reindex(Deadline::after(std::chrono::seconds(60)))));
}

TEST_P(WordIndexSuite, MoreFieldsThanColumnsAreRefused) {
  std::vector<Store::StreamFields> many = world_streams();
  for (int i = 0; i <= text::kMaxWordColumns; ++i) {
    many[0].fields.push_back(format("f{}", i));
    many[0].searched.push_back(format("f{}", i));
  }
  SourceRow source = world_source();
  source.version = "many";
  EXPECT_FALSE(store().put_source(world().owner(), source, many));
}

TEST_P(WordIndexSuite, ARecordIsFoundByItsCurrentWords) {
  world().put("a", data("Fox hunt", "the quick brown fox"));
  world().put("b", data("Dog", "a lazy dog"));
  EXPECT_EQ(keys("fox"), Names{"a"});
  EXPECT_EQ(keys("dog"), Names{"b"});
  EXPECT_EQ(keys("cat"), Names{});
  world().put("a", data("Fox hunt", "the slow brown cat"));
  EXPECT_EQ(keys("quick"), Names{});
  EXPECT_EQ(keys("cat"), Names{"a"});
  EXPECT_EQ(keys("fox"), Names{"a"}) << "the title still has it";
  world().remove("a");
  EXPECT_EQ(keys("cat"), Names{});
  EXPECT_EQ(keys("fox"), Names{});
  world().put("a", data("again", "fox"));
  EXPECT_EQ(keys("fox"), Names{"a"});
}

TEST_P(WordIndexSuite, OnlySearchedFieldsAreFound) {
  world().put("a", R"({"title":"fox","extra":"hidden","at":"2026-01-01"})");
  EXPECT_EQ(keys("hidden"), Names{});
  EXPECT_EQ(keys("2026"), Names{});
}

TEST_P(WordIndexSuite, TermsMatchCountedColumnsOnly) {
  world().put("a", data("fox", "dog"));
  world().put("b", data("dog", "fox"));
  world().put("c", data("fox dog", ""));
  EXPECT_EQ(keys("fox dog"), (Names{"a", "b", "c"})) << "over all fields together";
  EXPECT_EQ(keys("fox dog", {"title"}), Names{"c"});
  EXPECT_EQ(keys("fox", {"body"}), Names{"b"});
  EXPECT_EQ(keys("fox -dog", {"title"}), Names{"a"}) << "uncounted text excludes nothing";
  EXPECT_EQ(keys("fox -dog"), Names{});
  EXPECT_EQ(keys("\"fox dog\""), Names{"c"}) << "a phrase does not go from one field to the next";
}

TEST_P(WordIndexSuite, SupportsPhrasesPrefixesAndExclusions) {
  world().put("a", data("one", "to be or not to be"));
  world().put("b", data("two", "not to worry or to be"));
  world().put("c", data("three", "beware"));
  EXPECT_EQ(keys("\"or not\""), Names{"a"});
  EXPECT_EQ(keys("\"to be\""), (Names{"a", "b"}));
  EXPECT_EQ(keys("\"not to be\""), Names{"a"});
  EXPECT_EQ(keys("be*"), (Names{"a", "b", "c"}));
  EXPECT_EQ(keys("bew*"), Names{"c"});
  EXPECT_EQ(keys("\"to wor\"*"), Names{"b"});
  EXPECT_EQ(keys("be -worry"), Names{"a"});
  EXPECT_EQ(keys("be -wor*"), Names{"a"});
  EXPECT_EQ(keys("be* -\"not to\""), Names{"c"});
}

TEST_P(WordIndexSuite, PreparedDataIsUsedOnlyForTheSameFields) {
  world().put("a", data("fox", "hen"));  // the store knows the fields by now
  const auto prepared = [&](std::string_view key, const std::string& text) {
    RecordWrite record = world().record(key, text);
    must(store().prepare(world().notes(), record));
    return record;
  };
  RecordWrite now = prepared("b", data("owl", "elk"));
  RecordWrite later = prepared("c", data("owl", "elk"));
  world().write(world().notes(), World::one(std::move(now)));
  EXPECT_EQ(keys("owl elk"), Names{"b"});
  declare({"body", "extra"});
  world().write(world().notes(), World::one(std::move(later)));
  finish_reindex();
  EXPECT_EQ(keys("owl"), Names{});
  EXPECT_EQ(keys("elk"), (Names{"b", "c"}));
}

TEST_P(WordIndexSuite, ALongTextIsFoundByPassage) {
  const std::string padding = long_text("lorem ipsum dolor sit amet ", 20'000);
  world().put("long", data("short title", padding + " needle " + padding + " thread"));
  world().put("short", data("needle", "in a haystack"));
  EXPECT_EQ(keys("needle"), (Names{"long", "short"}));
  EXPECT_EQ(keys("needle thread"), Names{"long"}) << "in different passages";
  EXPECT_EQ(keys("title thread"), Names{"long"}) << "in different fields";
  EXPECT_EQ(keys("needle thread -haystack -title"), Names{});
  EXPECT_EQ(keys("ipsum -needle"), Names{});
  const std::vector<WordHit> found = hits("needle thread", {scope(columns())});
  ASSERT_EQ(found.size(), 1u);
  ASSERT_FALSE(found[0].passages.empty());
  std::set<std::size_t> terms;
  const text::WordQuery query = must(text::parse_word_query("needle thread", {.all = true, .forms = false, .fields = {}}));
  const std::string text = padding + " needle " + padding + " thread";
  for (const WordPassage& passage : found[0].passages) {
    EXPECT_EQ(passage.column, column("body"));
    EXPECT_LE(passage.end - passage.start, text::kPassageChars + 200);
    const std::size_t begin = utf8::offset_of(text, passage.start), end = utf8::offset_of(text, passage.end);
    for (const text::WordRange& range : text::find_terms(query, text.substr(begin, end - begin), 10)) terms.insert(range.term);
  }
  EXPECT_EQ(terms.size(), 2u) << "the passages hold every term";
}

TEST_P(WordIndexSuite, APhraseAcrossEveryPossibleCutIsFound) {
  for (int i = 0; i < 24; ++i) {
    const std::string before = long_text("abcd efg hi ", 3'560 + i * 3);
    world().put(format("n{}", i), data("", before + " seven wise men came by boat " + long_text("xy z ", 3'700)));
  }
  EXPECT_EQ(keys("\"seven wise men came by boat\"").size(), 24u);
  EXPECT_EQ(keys("\"wise seven\"").size(), 0u);
}

TEST_P(WordIndexSuite, AWordRepeatedThousandsOfTimesIsFoundWithItsNeighbors) {
  world().put("short", data("", long_text("a ", 3'000) + " end"));
  world().put("long", data("", long_text("a ", 30'000) + " end"));
  EXPECT_EQ(keys("a"), (Names{"long", "short"}));
  EXPECT_EQ(keys("\"a end\""), (Names{"long", "short"}));
  EXPECT_EQ(keys("\"a a a a a a a a a a end\""), (Names{"long", "short"}));
  world().put("short", data("", "gone"));
  EXPECT_EQ(keys("end"), Names{"long"});
  world().remove("long");
  EXPECT_EQ(keys("a"), Names{});
}

TEST_P(WordIndexSuite, StagedTextIsFoundWithItsRecord) {
  const std::string text = long_text("lorem ipsum ", 9'000) + " needle " + long_text("dolor sit ", 9'000);
  RecordWrite write = world().staged_record("a", data("staged", text));
  EXPECT_EQ(keys("needle"), Names{});
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))).at(0), Outcome::kAdded);
  EXPECT_EQ(keys("needle"), Names{"a"});
  EXPECT_EQ(keys("staged needle"), Names{"a"});
  EXPECT_EQ(put_staged("a", data("staged", long_text("other words ", 9'000))), Outcome::kChanged);
  EXPECT_EQ(keys("needle"), Names{}) << "gone at once, before any sweep";
  EXPECT_EQ(keys("other staged"), Names{"a"});
  sweep_all(store(), kNow + kDay);
  EXPECT_EQ(keys("other staged"), Names{"a"});
  expect_sound(store());
  world().put("a", data("short", "now"));
  EXPECT_EQ(keys("other"), Names{});
  EXPECT_EQ(keys("short now"), Names{"a"});
  sweep_all(store(), kNow + kDay);
  EXPECT_EQ(keys("short now"), Names{"a"});
}

TEST_P(WordIndexSuite, UnattachedStagedTextIsSwept) {
  const RecordWrite write = world().staged_record("a", data("staged", long_text("orphan words ", 9'000)));
  EXPECT_GT(sweep_all(store(), Clock::system().now() + kDay), 0);
  EXPECT_EQ(keys("orphan"), Names{});
}

TEST_P(WordIndexSuite, StagedForOtherFieldsIsRefused) {
  RecordWrite write = world().staged_record("a", data("staged", long_text("some words ", 9'000)));
  declare({"title", "extra"});
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))).at(0), Outcome::kStagingLost);
  EXPECT_EQ(put_staged("a", data("staged", long_text("some words ", 9'000))), Outcome::kAdded);
  finish_reindex();
  EXPECT_EQ(keys("some"), Names{});
  EXPECT_EQ(keys("staged"), Names{"a"});
}

TEST_P(WordIndexSuite, NonTextValuesAreNotFound) {
  world().put("a", data("title", long_text("QUJDREVGR0g1", 6'000)));
  EXPECT_EQ(keys("title"), Names{"a"});
  EXPECT_EQ(keys("QUJDREVGR0g1*"), Names{});
}

TEST_P(WordIndexSuite, AFieldDeclaredLaterIsFoundWhenReady) {
  for (int i = 0; i < 1'200; ++i) {
    world().put(format("k{:04}", i), format(R"({{"title":"t{}","body":"b{}","extra":"late {}"}})", i, i, i));
  }
  world().put("long", R"({"title":"long","extra":")" + long_text("late words ", 9'000) + R"(","body":"late"})");
  const std::int64_t before = must(store().catalog(world().owner())).owner.catalog_version;
  declare({"title", "body", "extra"});
  EXPECT_EQ(std::popcount(columns()), 2) << "not ready yet";
  world().put("k0003", R"({"title":"t3","body":"b3","extra":"early 3"})");
  world().put("new", R"({"title":"new","extra":"late new"})");
  world().remove("k0004");
  EXPECT_EQ(keys("t3"), Names{"k0003"});
  finish_reindex();
  EXPECT_GT(must(store().catalog(world().owner())).owner.catalog_version, before);
  ASSERT_EQ(std::popcount(columns()), 3);
  EXPECT_EQ(keys("late").size(), 1'200u);
  EXPECT_EQ(keys("late words"), Names{"long"});
  EXPECT_EQ(keys("early"), Names{"k0003"});
  expect_sound(store());
  declare({"body"});
  finish_reindex();
  EXPECT_EQ(std::popcount(columns()), 1);
  EXPECT_EQ(keys("t7"), Names{});
  EXPECT_EQ(keys("b7"), Names{"k0007"});
  EXPECT_EQ(keys("late"), Names{"long"}) << "in its body";
  sweep_all(store(), kNow + kDay);
  expect_sound(store());
  declare({"extra", "title"});
  finish_reindex();
  EXPECT_EQ(keys("late words"), Names{"long"});
  EXPECT_EQ(keys("t7 late"), Names{"k0007"});
  EXPECT_EQ(keys("b7"), Names{});
}

TEST_P(WordIndexSuite, AClearedIndexIsFilledAgainAndCountsTheRemainingRecords) {
  constexpr std::int64_t kRecords = 200;
  for (std::int64_t n = 0; n < kRecords; ++n) world().put(format("k{:03}", n), data("needle", "hay"));
  EXPECT_EQ(must(store().records_without_words()), 0);
  must(store().clear_word_index());
  EXPECT_EQ(must(store().records_without_words()), kRecords);
  EXPECT_TRUE(keys("needle").empty());
  EXPECT_TRUE(world().find("k007")) << "records are read meanwhile";
  std::int64_t left = kRecords;
  for (bool ready = false; !ready;) {
    ready = must(store().reindex(Deadline::after(std::chrono::milliseconds(50))));
    const std::int64_t now = must(store().records_without_words());
    EXPECT_LE(now, left);
    left = now;
  }
  EXPECT_EQ(left, 0);
  EXPECT_EQ(keys("needle").size(), static_cast<std::size_t>(kRecords));
}

TEST_P(WordIndexSuite, OrderIsByScoreThenTimeThenKey) {
  std::vector<RecordWrite> writes;
  writes.push_back(at("old", data("", "fox and more"), 1'000));
  writes.push_back(at("new", data("", "fox and more"), 3'000));
  writes.push_back(at("b", data("", "fox and more"), 2'000));
  writes.push_back(at("a", data("", "fox and more"), 2'000));
  writes.push_back(at("timeless", data("", "fox and more"), std::nullopt));
  writes.push_back(at("often", data("", "fox fox fox and more"), 500));
  world().write(world().notes(), std::move(writes));
  Names order;
  for (const WordHit& hit : hits("fox", {scope(columns())}, 2)) order.push_back(hit.record.key);
  EXPECT_EQ(order, (Names{"often", "new", "a", "b", "old", "timeless"}));
  WordScope untimed = scope(columns());
  untimed.timed = false;
  order.clear();
  for (const WordHit& hit : hits("fox", {untimed}, 2)) {
    order.push_back(hit.record.key);
    EXPECT_FALSE(hit.sort_key.time);
  }
  EXPECT_EQ(order, (Names{"often", "a", "b", "new", "old", "timeless"}));
}

TEST_P(WordIndexSuite, TimesAndChecksAreAppliedBeforeAnythingIsCounted) {
  std::vector<RecordWrite> writes;
  for (int i = 0; i < 40; ++i) {
    writes.push_back(
        at(format("k{:02}", i), data("t", i % 2 == 0 ? "fox" : "fox fox"), i % 10 == 9 ? std::optional<Instant>() : i));
  }
  world().write(world().notes(), std::move(writes));
  WordScope between = scope(columns());
  between.since = 10;
  between.until = 20;
  EXPECT_EQ(hits("fox", {between}, 4).size(), 9u) << "one has no time";
  WordSearch search;
  search.scopes = {scope(columns())};
  search.scopes[0].checked = true;
  search.limit = 3;
  std::set<std::string> asked;
  search.accept = [&](std::size_t at_scope, const RecordRow& row) -> Result<bool> {
    EXPECT_EQ(at_scope, 0u);
    asked.insert(row.key);
    return row.key >= "k30";
  };
  const WordPage found = page(store(), search, "fox");
  EXPECT_EQ(found.matches, 10);
  EXPECT_TRUE(found.more);
  EXPECT_EQ(found.hits.size(), 3u);
  EXPECT_EQ(asked.size(), 40u);
}

// A record that has several rows only because of an uncounted text must look like one with a single row.
TEST_P(WordIndexSuite, UncountedTextDoesNotAffectScores) {
  world().put("plain", data("the fox and the fox and the dog", "short"));
  world().put("padded", data("the fox and the fox and the dog", long_text("fox dog ", 20'000)));
  for (const char* const text : {"fox", "fox dog", "\"the fox\"", "do* fox", "the and"}) {
    const auto found = hits(text, {scope(columns({"title"}))});
    ASSERT_EQ(found.size(), 2u) << text;
    EXPECT_EQ(found[0].sort_key.score, found[1].sort_key.score) << text;
  }
}

TEST_P(WordIndexSuite, OtherOwnersStreamsDoNotAffectResults) {
  World other(store(), "other", "conn_other");
  SourceRow source = world_source();
  source.version = "other";
  must(store().put_source(other.owner(), source, streams({"body", "title", "extra"})));
  for (int i = 0; i < 50; ++i) other.put(format("o{}", i), data("fox", "fox fox fox"));
  world().put("mine", data("fox", "dog"));
  EXPECT_EQ(keys("fox"), Names{"mine"});
  EXPECT_EQ(keys("fox -dog"), Names{});
  WordSearch search;
  search.scopes = {scope(columns())};
  search.limit = 10;
  EXPECT_EQ(page(store(), search, "fox").matches, 1);
}

TEST_P(WordIndexSuite, SearchStopsWhenCancelled) {
  world().put("a", data("fox", "fox"));
  const text::WordQuery query = must(text::parse_word_query("fox"));
  WordSearch search;
  search.query = &query;
  search.scopes = {scope(columns())};
  search.limit = 10;
  std::stop_source stop;
  stop.request_stop();
  search.stop = stop.get_token();
  search.deadline = Deadline::after(std::chrono::seconds(10));
  const auto cancelled = must(store().read(world().owner()))->search(search);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::kCancelled);
}

}  // namespace
}  // namespace ladder::store

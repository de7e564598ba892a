// Searching for any of the words: which records are hits, in which order, by which statistics, the same on every
// engine.
#include "word_index_suite.h"

#include "store/text/word_rank.h"

#include <random>

namespace ladder::store {
namespace {

class WordAny : public WordIndexSuite {
 protected:
  static WordQuery query(std::string_view text, bool forms = false) {
    return must(parse_word_query(text, {.all = false, .forms = forms, .fields = {"title", "body"}}));
  }

  WordSearch search(const WordQuery& asked, std::int64_t limit = 100) {
    WordSearch search;
    search.query = &asked;
    search.scopes = {scope(columns())};
    for (WordScope& scope : search.scopes) restrict_terms(asked, scope);
    search.limit = limit;
    search.deadline = Deadline::after(std::chrono::seconds(30));
    return search;
  }
  // Restricts the terms that name a field to it.
  void restrict_terms(const WordQuery& asked, WordScope& scope) {
    bool any = false;
    std::vector<WordColumns> of;
    for (const auto* terms : {&asked.terms, &asked.excluded}) {
      for (const WordTerm& term : *terms) {
        any = any || !term.field.empty();
        of.push_back(term.field.empty() ? scope.columns : columns({term.field}));
      }
    }
    if (any) scope.term_columns = of;
  }
  WordPage run(const WordSearch& search) { return must(must(store().read())->search(search)); }

  Names order(std::string_view text, bool forms = false) {
    const WordQuery asked = query(text, forms);
    return keys_of(run(search(asked)));
  }
  static Names keys_of(const WordPage& page) {
    Names keys;
    for (const WordHit& hit : page.hits) keys.push_back(hit.record.key);
    return keys;
  }

  // A length without words: contributes to no statistics.
  static RankedText length(std::size_t, const RecordRow& row) { return {.chars = std::ssize(row.body), .texts = {}}; }

  // Returns all pages with the statistics of the first one's ranking.
  std::vector<std::pair<std::string, std::int64_t>> walk(WordSearch search) {
    std::vector<std::pair<std::string, std::int64_t>> all;
    for (;;) {
      const WordPage page = run(search);
      for (const WordHit& hit : page.hits) all.emplace_back(hit.record.key, hit.sort_key.score);
      if (!page.more || page.hits.empty()) return all;
      search.after = page.hits.back().sort_key;
      search.weights = page.weights;
    }
  }

  void put_some() {
    world().put("both", data("Keys", "the spare key hangs in the shed"));
    world().put("far", data("List", "a spare tyre, a lamp, some oil, a rope, nails, a saw, a hammer and then a key"));
    world().put("key", data("Garage", "a key"));
    world().put("spare", data("Parts", "spare parts"));
    world().put("none", data("Other", "nothing of the kind"));
  }
};

TEST_P(WordAny, CountsAreCurrentAndCoverTheCountedColumns) {
  put_some();
  const WordQuery asked = query("spare key");
  const WordSearch everywhere = search(asked);
  const std::vector<std::int64_t> before = run(everywhere).counts;
  EXPECT_EQ(run(everywhere).counts, before) << "kept from the search before";
  WordSearch in_titles = search(asked);
  in_titles.scopes = {scope(columns({"title"}))};
  EXPECT_EQ(run(in_titles).counts, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(run(everywhere).counts, before);
  world().put("more", data("Box", "another spare"));
  EXPECT_EQ(run(everywhere).counts, (std::vector<std::int64_t>{before[0] + 1, before[1]}));
  world().put("more", data("Box", "another key"));
  EXPECT_EQ(run(everywhere).counts, (std::vector<std::int64_t>{before[0], before[1] + 1})) << "as many records as before";
}

LADDER_FOR_EVERY_ENGINE(WordAny);

// Enough records that the index is used instead of scanning every row.
TEST_P(WordAny, AnEarlierSearchSeesEveryWrite) {
  put_some();
  for (int i = 0; i < 100; ++i) world().put(format("filler-{}", i), data("Filler", format("page {}", i)));
  const auto search_twice = [&](std::string_view text) {
    const Names found = order(text, true);
    EXPECT_EQ(order(text, true), found) << text;
    return found;
  };
  const Names questions = {"spare key", "+spare +key", "spare", "key -shed"};
  std::vector<Names> before;
  for (const std::string& text : questions) before.push_back(search_twice(text));
  EXPECT_EQ(search_twice("letter"), Names{});
  world().put("new", data("Drawer", "a spare key and letters"));
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Names found = search_twice(questions[i]);
    EXPECT_EQ(found.size(), before[i].size() + 1) << questions[i];
    EXPECT_EQ(std::ranges::count(found, "new"), 1) << questions[i];
  }
  EXPECT_EQ(search_twice("letter"), Names{"new"}) << "a form that no record had";
  world().put("new", data("Drawer", "empty"));
  for (std::size_t i = 0; i < questions.size(); ++i) EXPECT_EQ(search_twice(questions[i]), before[i]) << questions[i];
  EXPECT_EQ(search_twice("letter"), Names{});
}

TEST_P(WordAny, MoreAndCloserWordsRankFirst) {
  put_some();
  const Names found = order("spare key");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ((Names{found[0], found[1]}), (Names{"both", "far"}));
  EXPECT_EQ(order("spare +key").size(), 3u);
  EXPECT_EQ(order("spare key -shed"), (Names{"far", "key", "spare"})) << "equals by key";
  EXPECT_EQ(order("\"spare key\" lamp"), Names{"both"});
  EXPECT_EQ(order("lamp quokka"), Names{"far"});
  EXPECT_EQ(order("quokka"), Names{});
}

TEST_P(WordAny, CountsCoverAnyAndAllWords) {
  put_some();
  const WordQuery asked = query("spare key quokka");
  const WordPage page = run(search(asked, 1));
  EXPECT_EQ(page.matches, 4);
  EXPECT_TRUE(page.exact);
  EXPECT_EQ(page.matches_all, 0);
  EXPECT_EQ(page.counts, (std::vector<std::int64_t>{3, 3, 0}));
  const WordQuery two = query("spare key");
  EXPECT_EQ(run(search(two, 1)).matches_all, 2);
  const WordQuery one = query("key");
  EXPECT_EQ(run(search(one, 1)).counts, (std::vector<std::int64_t>{3}));
}

TEST_P(WordAny, CommonWordsAddNoCandidatesToRareOnes) {
  for (int i = 0; i < 200; ++i)
    world().put(format("k{:03}", i), data("note", i % 20 == 0 ? "meeting budget" : "meeting minutes"));
  const WordQuery asked = query("meeting budget");
  const WordPage page = run(search(asked));
  EXPECT_EQ(page.matches, 10);
  EXPECT_EQ(page.matches_all, 10);
  EXPECT_FALSE(page.exact);
  EXPECT_EQ(page.counts, (std::vector<std::int64_t>{200, 10}));
  const WordQuery common = query("meeting");
  EXPECT_EQ(run(search(common)).matches, 200);
}

TEST_P(WordAny, CountsStopAtTheirLimit) {
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 6'000; ++i) {
    const std::string body = i % 2'000 == 0 ? "meeting budget" : i % 2 == 0 ? "meeting minutes" : "meeting";
    batch.push_back(world().record(format("k{:04}", i), data("note", body)));
  }
  world().write(world().notes(), std::move(batch));
  const WordQuery asked = query("meeting minutes budget quokka");
  const WordPage page = run(search(asked));
  EXPECT_EQ(page.counts, (std::vector<std::int64_t>{kCountedRecords, 2'997, 3, 0}));
  EXPECT_EQ(page.matches, 3'000);
  WordSearch early = search(asked);
  early.scopes.front().until = kNow;
  EXPECT_EQ(run(early).counts, (std::vector<std::int64_t>{0, 0, 0, 0})) << "they have no time";
}

TEST_P(WordAny, ATermMayBeLimitedToAField) {
  put_some();
  EXPECT_EQ(order("title:garage"), Names{"key"});
  EXPECT_EQ(order("body:garage"), Names{});
  EXPECT_EQ(order("title:keys spare"), (Names{"both", "far", "spare"})) << "equals by key";
  EXPECT_EQ(order("key -title:garage -title:list"), Names{"both"});
}

TEST_P(WordAny, FormsCountLessThanTheWord) {
  world().put("a", data("x", "two letters"));
  world().put("b", data("x", "one letter"));
  world().put("c", data("x", "a letterhead"));
  world().put("d", data("x", "53 500 euros"));
  world().put("e", data("x", "53500 euros"));
  EXPECT_EQ(order("letter", true), (Names{"b", "a"}));
  EXPECT_EQ(order("letters", true), (Names{"a", "b"}));
  EXPECT_EQ(order("letter"), Names{"b"});
  EXPECT_EQ(order("53500", true), (Names{"e", "d"}));
  EXPECT_EQ(order("53 500", true), (Names{"d", "e"}));
}

// Words whose forms differ in letters that only one language has, whose stem changes, or that no rule covers. The test
// searches each form by itself and leaves out those that find nothing.
TEST_P(WordAny, AbsentFormsChangeNothing) {
  std::mt19937 random(20261118);
  const auto word = [&] {
    std::string made = "sal";
    for (auto left = random() % 3; left > 0; --left) made += static_cast<char>('a' + random() % 6);
    return made;
  };
  for (int i = 0; i < 60; ++i) {
    std::string body = i % 10 == 0 ? long_text("filler ", 9'000) : "";
    for (auto left = random() % 12; left > 0; --left) body += " " + word();
    world().put(format("n{:02}", i), data(i % 4 == 0 ? word() : "Note", body));
  }
  int found = 0, dropped = 0;
  for (int i = 0; i < 4; ++i) {
    WordQuery all;
    all.terms.push_back({.words = {word() + "x"}, .field = i == 3 ? "title" : "", .forms = {"sal a"}});
    if (i == 2) all.terms.push_back({.words = {"note"}});
    std::vector<std::string>& forms = all.terms.front().forms;
    for (char a = 'a'; a <= 'h'; ++a) {
      for (char b = 'a'; b <= 'h'; ++b) forms.push_back(format("sal{}{}", a, b));
      forms.push_back(format("sal{}", a));
      forms.push_back(format("{}al", a));
    }
    WordQuery some = all;
    std::erase_if(some.terms.front().forms, [&](const std::string& form) {
      WordQuery one;
      one.terms.push_back({.words = {form}, .field = all.terms.front().field});
      return run(search(one)).matches == 0;
    });
    dropped += static_cast<int>(forms.size() - some.terms.front().forms.size());
    WordSearch of_all = search(all, 7), of_some = search(some, 7);
    if (i == 1) of_all.scopes.front().columns = of_some.scopes.front().columns = columns({"title"});
    const WordPage page = run(of_all), wanted = run(of_some);
    EXPECT_EQ(page.matches, wanted.matches);
    EXPECT_EQ(page.counts, wanted.counts);
    EXPECT_EQ(page.weights, wanted.weights);
    const auto list = walk(of_all);
    EXPECT_EQ(list, walk(of_some)) << "hits, scores and order of all pages";
    found += static_cast<int>(list.size());
  }
  EXPECT_GT(found, 60);
  EXPECT_GT(dropped, 100);
}

TEST_P(WordAny, FindsFormsOfManyLanguages) {
  world().put("bg", data("x", "къщите са нови"));
  world().put("en", data("x", "bought in May"));
  world().put("fa", data("x", "کتاب‌های من"));
  world().put("fi", data("x", "kadun varrella"));
  world().put("hy", data("x", "բանալիները այստեղ"));
  world().put("id", data("x", "surat ditulis"));
  world().put("pl", data("x", "złamana ręka"));
  world().put("ta", data("x", "அறைகளை"));
  world().put("uk", data("x", "до Києва"));
  world().put("vi", data("x", "điện thoại"));
  EXPECT_EQ(order("къде е къща", true), Names{"bg"});
  EXPECT_EQ(order("when did I buy it", true), Names{"en"});
  EXPECT_EQ(order("کتاب", true), Names{"fa"});
  EXPECT_EQ(order("missä on katu", true), Names{"fi"});
  EXPECT_EQ(order("բանալի", true), Names{"hy"});
  EXPECT_EQ(order("siapa yang menulis", true), Names{"id"});
  EXPECT_EQ(order("co jest na ręce", true), Names{"pl"});
  EXPECT_EQ(order("அறை", true), Names{"ta"});
  EXPECT_EQ(order("Київ", true), Names{"uk"});
  EXPECT_EQ(order("dien", true), Names{"vi"});
  EXPECT_EQ(order("buy", false), Names{});
}

TEST_P(WordAny, OrderByTimeAppliesToAllPages) {
  std::vector<RecordWrite> writes;
  for (int i = 0; i < 30; ++i) {
    const auto time = i % 7 == 6 ? std::optional<Instant>() : std::optional<Instant>(i * 37 % 30);
    writes.push_back(at(format("k{:02}", i), data("t", i % 3 == 0 ? "fox fox" : i % 3 == 1 ? "dog" : "cow"), time));
  }
  world().write(world().notes(), std::move(writes));
  const WordQuery asked = query("fox dog");
  for (const WordOrder way : {WordOrder::kNewest, WordOrder::kOldest}) {
    WordSearch search = this->search(asked, 4);
    search.order = way;
    std::vector<HitSortKey> places;
    for (;;) {
      const WordPage page = run(search);
      for (const WordHit& hit : page.hits) places.push_back(hit.sort_key);
      if (!page.more) break;
      search.after = places.back();
      search.weights = page.weights;
    }
    EXPECT_EQ(places.size(), 20u);
    for (std::size_t i = 1; i < places.size(); ++i) {
      const auto &a = places[i - 1].time, &b = places[i].time;
      if (!a) {
        EXPECT_FALSE(b) << "those without a time come last";
      }
      if (a && b) {
        EXPECT_TRUE(way == WordOrder::kNewest ? *a >= *b : *a <= *b);
      }
    }
  }
}

// Lengths and rarity decide the rank; joined pages equal the list, even if records are added in between.
TEST_P(WordAny, JoinedPagesEqualTheList) {
  std::mt19937 random(20261116);
  std::vector<RecordWrite> writes;
  const std::vector<std::string> words = {"red", "blue", "green", "fox", "dog", "owl", "sun", "rain"};
  const auto text = [&] {
    std::string made;
    for (std::size_t i = 0; i < 1 + random() % 30; ++i)
      made += words[random() % words.size()] + (random() % 3 == 0 ? " and " : " ");
    return made;
  };
  for (int i = 0; i < 700; ++i) writes.push_back(at(format("k{:03}", i), data("n", text()), i));
  world().write(world().notes(), std::move(writes));
  const WordQuery asked = query("red fox rain");
  WordSearch whole = search(asked, 1'000), pages = search(asked, 37);
  whole.reading = pages.reading = length;
  const auto list = walk(whole);
  EXPECT_EQ(walk(pages), list);
  EXPECT_GT(list.size(), 2 * kMeasuredRecords);
  EXPECT_GT(list.front().second, list[kMeasuredRecords].second);

  pages.limit = 50;
  const WordPage first = run(pages);
  pages.after = first.hits.back().sort_key;
  pages.weights = first.weights;
  const Names before = keys_of(run(pages));
  for (int i = 0; i < 40; ++i) world().put(format("z{:02}", i), data("n", "owl owl red"));
  Names after = keys_of(run(pages));
  std::erase_if(after, [](const std::string& key) { return key.front() == 'z'; });
  EXPECT_TRUE(std::equal(after.begin(), after.end(), before.begin())) << "new records do not move existing ones";
}

// Invisible records affect neither scores nor order nor counts.
TEST_P(WordAny, StatisticsUseGrantedRecordsOnly) {
  put_some();
  const WordQuery asked = query("spare key parts");
  WordSearch some = search(asked, 3);
  some.reading = length;
  some.scopes[0].checked = true;
  some.accept = [](std::size_t, const RecordRow& row) -> Result<bool> { return !row.key.starts_with("secret"); };
  WordSearch timed = search(asked, 3);
  timed.reading = length;
  timed.scopes[0].since = 0;
  timed.scopes[0].until = 1'000;
  std::vector<RecordWrite> in_time;
  in_time.push_back(at("t1", data("Keys", "the spare key"), 5));
  in_time.push_back(at("t2", data("Parts", "spare parts"), 6));
  world().write(world().notes(), std::move(in_time));
  const auto seen = walk(some);
  const auto seen_in_time = walk(timed);
  EXPECT_EQ(seen_in_time.size(), 2u);
  std::vector<RecordWrite> writes;
  for (int i = 0; i < 90; ++i) writes.push_back(at(format("secret{}", i), data("Key", "spare spare key"), 5'000));
  world().write(world().notes(), std::move(writes));
  EXPECT_EQ(walk(some), seen);
  EXPECT_EQ(walk(timed), seen_in_time);
  some.weights.reset();
  EXPECT_EQ(run(some).counts, (std::vector<std::int64_t>{5, 4, 2}));
}

// The same scores on every engine, for records with one row and with several.
TEST_P(WordAny, ScoresAreTheSameOnEveryEngine) {
  put_some();
  world().put("long", data("Keys", long_text("lorem ipsum dolor ", 9'000) + " the spare key is behind the house"));
  const WordQuery asked = query("where is the spare key of the house", true);
  WordSearch search = this->search(asked);
  search.reading = [](std::size_t, const RecordRow& row) -> RankedText {
    return {.chars = std::ssize(row.key) * 100, .texts = {}};
  };
  const auto found = walk(search);
  const std::vector<std::pair<std::string, std::int64_t>> expected = {
      {"long", 2791}, {"both", 1207}, {"far", 985}, {"key", 487}, {"spare", 403}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace ladder::store

// Both engines return the same pages: while records change in both, random searches give the same hits in the same
// order with the same scores, passages, counts and weights, byte for byte, whatever each engine has merged and swept.
// And they return what a plain evaluation of every record returns.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "store/postings/word_expression.h"
#include "store/rows/word_search.h"
#include "store_suite.h"
#include "support/plain_scan.h"
#include "support/store_fixture.h"
#include "text/passages.h"
#include "text/words.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store {
namespace {

using test_support::sentences;
using test_support::StoreLocation;

// One engine's store with the world's notes; title and body are searchable.
struct Side {
  explicit Side(const std::string& engine)
      : place(engine), store(place.open()), world(std::make_unique<World>(*store, "local", "conn_a")) {
    SourceRow source = world_source();
    source.version = "searched";
    std::vector<Store::StreamFields> streams = world_streams();
    streams[0].searched = {"title", "body"};
    must(store->put_source(world->owner(), source, streams));
    const Catalog catalog = must(store->catalog(world->owner()));
    for (const WordColumnRow& row : catalog.word_columns) {
      columns |= text::WordColumns{1} << row.column;
      const auto field = std::ranges::find(catalog.fields, row.field, &FieldRow::no);
      (field->name == "title" ? title : body) = row.column;
    }
  }

  StoreLocation place;
  std::unique_ptr<Store> store;
  std::unique_ptr<World> world;
  text::WordColumns columns = 0;
  int title = 0, body = 0;
};

// The words of a text, by position; a position may have a character and the pair that begins there.
using PlainText = std::map<std::int64_t, std::set<std::string>>;

PlainText plain_text(const std::string& text) {
  PlainText plain;
  text::Words words;
  words.feed(text);
  words.finish();
  for (text::Word word; words.next(word);) {
    plain[word.position].insert((word.pair ? std::string(1, text::kPairMark) : "") + std::string(word.text));
  }
  return plain;
}

bool begins_at(const PlainText& plain, std::int64_t position, const std::vector<std::string>& phrase, bool prefix) {
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    const auto here = plain.find(position + static_cast<std::int64_t>(i));
    if (here == plain.end()) return false;
    const bool open = prefix && i + 1 == phrase.size();
    const auto matches = [&](const std::string& word) { return open ? word.starts_with(phrase[i]) : word == phrase[i]; };
    if (std::ranges::none_of(here->second, matches)) return false;
  }
  return true;
}

// A record as it was written.
struct PlainRecord {
  PlainText title, body;
  std::optional<Instant> time;
};

// Evaluates a query on one record, by the definitions of word_rank.h.
class PlainEvaluation {
 public:
  PlainEvaluation(const text::WordQuery& query, const WordScope& scope, const Side& side, const PlainRecord& record) {
    text::TermPositions positions(query);
    const auto add = [&](std::size_t term, const std::vector<std::string>& phrase, bool prefix, bool form) {
      for (const auto& [column, text] : {std::pair(side.title, &record.title), std::pair(side.body, &record.body)}) {
        for (const std::int64_t position : *text | std::views::keys) {
          if (!begins_at(*text, position, phrase, prefix)) continue;
          if (term < query.terms.size()) positions.add(scope, term, column, static_cast<int>(position), form, words);
          else excluded = true;
        }
      }
    };
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      add(i, query.terms[i].words, query.terms[i].prefix, false);
      for (const std::string& form : query.terms[i].forms) add(i, words_of_form(form), false, true);
    }
    for (const text::WordTerm& term : query.excluded) add(query.terms.size(), term.words, term.prefix, false);
    positions.end(words);
  }

  text::WordAccumulator words;
  bool excluded = false;
};

// Returns a page as text, without the numbers that differ between stores.
std::string shown(const WordPage& page) {
  std::string out = format("{} {} {} {} {}\n", page.more, page.matches, page.exact, page.ranked, page.matches_all);
  for (const std::int64_t count : page.counts) out += format("{} ", count);
  for (const std::int32_t weight : page.weights.terms) out += format("{} ", weight);
  out += format("{} {} {}\n", page.weights.finders, page.weights.measured_above, page.weights.usual_chars);
  for (const text::FeedbackWord& word : page.weights.feedback) out += format("{}:{} ", word.hash, word.weight);
  for (const WordHit& hit : page.hits) {
    out += format("\n{} {} {} {} {} {}", hit.sort_key.score, hit.sort_key.time.value_or(-1), hit.record.key, hit.more, hit.alike,
                  to_hex(crypto::view(hit.record.digest)));
    for (const WordPassage& passage : hit.passages) out += format(" [{} {} {}]", passage.column, passage.start, passage.end);
  }
  return out;
}

class EnginesAgree : public ::testing::Test {
 protected:
  std::size_t one_of(std::size_t n) { return random_() % n; }

  std::string random_text(std::size_t most) {
    std::string text;
    for (std::size_t count = one_of(most + 1); count > 0; --count) text += sentences()[one_of(sentences().size())] + " ";
    return text;
  }

  // Applies the same change to both.
  void change() {
    const std::string key = format("k{}", one_of(80));
    if (one_of(6) == 0) {
      for (Side& side : sides_) side.world->remove(key);
      records_.erase(key);
      return;
    }
    const std::string title = random_text(2), body = random_text(one_of(6) == 0 ? longest_ : 4);
    std::string data = R"({"title":)";
    json::append_string(data, title);
    data += R"(,"body":)";
    json::append_string(data, body);
    data += "}";
    const bool staged = body.size() > 12'000 && one_of(2) == 0;
    const auto time = one_of(5) == 0 ? std::nullopt : std::optional<Instant>(static_cast<Instant>(one_of(30)));
    records_[key] = {plain_text(title), plain_text(body), time};
    for (Side& side : sides_) {
      RecordWrite write = staged ? side.world->staged_record(key, data) : side.world->record(key, data);
      write.consent_time = time;
      side.world->write(side.world->notes(), World::one(std::move(write)));
    }
  }

  std::string random_query() {
    std::string text;
    for (std::size_t count = 1 + one_of(4); count > 0; --count) {
      const std::string& sentence = sentences()[one_of(sentences().size())];
      const std::size_t words = static_cast<std::size_t>(std::ranges::count(sentence, ' ')) + 1;
      std::size_t begin = 0;
      for (std::size_t skip = one_of(words); skip > 0; --skip) begin = sentence.find(' ', begin) + 1;
      const std::string word = sentence.substr(begin, sentence.find(' ', begin) - begin);
      text += (text.empty() ? "" : " ") + std::string(one_of(8) == 0 ? "-" : "") + word;
    }
    return text;
  }

  void expect_sound() {
    for (Side& side : sides_) {
      for (const std::string& fault : must(side.store->check_invariants()))
        ADD_FAILURE() << side.store->engine() << ": " << fault;
    }
  }

  // Compares all pages of one search.
  void compare(const std::string& text, bool all) {
    const auto parsed = text::parse_word_query(text, {.all = all, .forms = one_of(2) == 0, .fields = {}});
    if (!parsed) return;
    const text::WordOrder order = one_of(3) == 0 ? text::WordOrder::kNewest : text::WordOrder::kScore;
    const std::optional<Instant> since = one_of(4) == 0 ? std::optional<Instant>(one_of(30)) : std::nullopt;
    const std::optional<std::size_t> only = one_of(5) == 0 ? std::optional(one_of(3)) : std::nullopt;
    const bool reads = one_of(4) != 0;
    const std::uint64_t reading_key = one_of(2);
    const auto searched = [&](Side& side) {
      WordSearch search;
      search.query = &*parsed;
      WordScope scope;
      scope.stream = side.world->stream("notes");
      scope.columns = side.columns;
      scope.timed = true;
      scope.since = since;
      scope.checked = only.has_value();
      scope.reading_key = reading_key;
      search.scopes = {scope};
      search.limit = 5;
      search.order = order;
      search.accept = [&](std::size_t, const RecordRow& record) -> Result<bool> { return record.key.size() % 3 != *only; };
      if (reads) {
        search.reading = [](std::size_t, const RecordRow& record) {
          text::RankedText reading;
          reading.chars = static_cast<std::int64_t>(record.key.size()) + 100;
          reading.texts = {record.key};
          return reading;
        };
      }
      return search;
    };
    WordSearch first = searched(sides_[0]), second = searched(sides_[1]);
    for (int number = 0; number < 40; ++number) {
      const WordPage one = must(must(sides_[0].store->read(sides_[0].world->owner()))->search(first));
      const WordPage other = must(must(sides_[1].store->read(sides_[1].world->owner()))->search(second));
      ASSERT_EQ(shown(one), shown(other)) << text << " page " << number;
      found_ += one.hits.size();
      if (!one.more || one.hits.empty()) return;
      for (auto* const search : {&first, &second}) {
        search->after = one.last;
        search->weights = one.weights;
        search->head_end = one.head_end;
      }
    }
  }

  // The hits that a plain evaluation of every record returns, in order.
  std::vector<text::HitSortKey> plain_hits(const WordSearch& search, const std::function<bool(const std::string&)>& takes) {
    const text::WordQuery& query = *search.query;
    const WordScope& scope = search.scopes.front();
    std::map<std::string, PlainEvaluation> evaluated;
    std::vector<std::int64_t> counts(query.terms.size());
    for (const auto& [key, record] : records_) {
      if ((scope.since && (!record.time || *record.time < *scope.since)) || !takes(key)) continue;
      const auto& plain = evaluated.try_emplace(key, query, scope, sides_[0], record).first->second;
      for (std::size_t i = 0; counts.size() > 1 && i < counts.size(); ++i) counts[i] += plain.words.has(i) ? 1 : 0;
    }
    const auto visible = scope.is_restricted() ? 0 : std::ssize(records_);
    const text::WordWeights weights = text::weigh_terms(query, visible, counts);
    std::vector<text::HitSortKey> hits;
    for (const auto& [key, plain] : evaluated) {
      if (plain.excluded || !text::is_hit(query, weights, plain.words)) continue;
      hits.push_back({text::first_score(query, weights, plain.words), records_.at(key).time, key, 0});
    }
    std::ranges::sort(hits, [&](const auto& a, const auto& b) { return text::comes_before(search.order, a, b); });
    return hits;
  }

  void compare_with_plain(const std::string& text, bool all) {
    const auto parsed = text::parse_word_query(text, {.all = all, .forms = one_of(2) == 0, .fields = {}});
    if (!parsed) return;
    const text::WordOrder order = one_of(3) == 0 ? text::WordOrder::kNewest : text::WordOrder::kScore;
    const std::optional<Instant> since = one_of(4) == 0 ? std::optional<Instant>(one_of(30)) : std::nullopt;
    const std::optional<std::size_t> only = one_of(5) == 0 ? std::optional(one_of(3)) : std::nullopt;
    const auto takes = [&](const std::string& key) { return !only || key.size() % 3 != *only; };
    for (Side& side : sides_) {
      WordScope scope;
      scope.stream = side.world->stream("notes");
      scope.columns = side.columns;
      scope.strong = text::WordColumns{1} << side.title;
      scope.timed = true;
      scope.since = since;
      scope.checked = only.has_value();
      WordSearch search;
      search.query = &*parsed;
      search.scopes = {scope};
      search.limit = 5;
      search.order = order;
      search.accept = [&](std::size_t, const RecordRow& record) -> Result<bool> { return takes(record.key); };
      const std::vector<text::HitSortKey> expected = plain_hits(search, takes);
      std::vector<std::string> found, wanted;
      for (const text::HitSortKey& hit : expected)
        wanted.push_back(format("{} {} {}", hit.key, hit.score, hit.time.value_or(-1)));
      for (bool more = true; more;) {
        const WordPage page = must(must(side.store->read(side.world->owner()))->search(search));
        for (const WordHit& hit : page.hits) {
          found.push_back(format("{} {} {}", hit.record.key, hit.sort_key.score, hit.sort_key.time.value_or(-1)));
        }
        EXPECT_EQ(page.matches, std::ssize(expected)) << text;
        more = page.more && !page.hits.empty();
        search.after = page.last;
        search.weights = page.weights;
        search.head_end = page.head_end;
      }
      ASSERT_EQ(found, wanted) << side.store->engine() << ": " << text;
      found_ += found.size();
    }
  }

  Side sides_[2] = {Side("sqlite"), Side("postgres")};
  std::mt19937 random_{20261118};
  std::map<std::string, PlainRecord> records_;
  std::size_t longest_ = 300;  // sentences of a body
  std::size_t found_ = 0;
};

TEST_F(EnginesAgree, OnEveryPageOfEverySearch) {
  const int rounds = std::getenv("LADDER_TEST_ALL") != nullptr ? 120 : 10;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    for (int i = 0; i < (round == 0 ? 150 : 15); ++i) change();
    if (round % 4 == 3) must(sides_[one_of(2)].store->sweep(Clock::system().now() + kDay, Deadline::never()));
    if (round % 4 == 1) must(sides_[one_of(2)].store->tidy_words(Deadline::never()));
    for (int i = 0; i < 25 && !HasFailure(); ++i) compare(random_query(), one_of(3) == 0);
  }
  EXPECT_GT(found_, 200u);
  expect_sound();
}

// Bodies of one passage: in longer ones, distances end at the end of a passage.
TEST_F(EnginesAgree, WithThePlainEvaluationOfEveryRecord) {
  longest_ = 12;
  const int rounds = std::getenv("LADDER_TEST_ALL") != nullptr ? 120 : 10;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    for (int i = 0; i < (round == 0 ? 150 : 15); ++i) change();
    if (round % 4 == 3) must(sides_[one_of(2)].store->sweep(Clock::system().now() + kDay, Deadline::never()));
    if (round % 4 == 1) must(sides_[one_of(2)].store->tidy_words(Deadline::never()));
    for (int i = 0; i < 25 && !HasFailure(); ++i) compare_with_plain(random_query(), one_of(3) == 0);
  }
  EXPECT_GT(found_, 400u);
  expect_sound();
}

}  // namespace
}  // namespace ladder::store

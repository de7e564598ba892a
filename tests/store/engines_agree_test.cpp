// Both engines return the same pages: while records change in both, random searches give the same hits in the same
// order with the same scores, passages, counts and weights, byte for byte, whatever each engine has merged and swept.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "store/rows/word_search.h"
#include "store_suite.h"
#include "support/plain_scan.h"
#include "support/store_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
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
    for (const WordColumnRow& row : must(store->catalog(world->owner())).word_columns)
      columns |= text::WordColumns{1} << row.column;
  }

  StoreLocation place;
  std::unique_ptr<Store> store;
  std::unique_ptr<World> world;
  text::WordColumns columns = 0;
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
      return;
    }
    const std::string title = random_text(2), body = random_text(one_of(6) == 0 ? 300 : 4);
    std::string data = R"({"title":)";
    json::append_string(data, title);
    data += R"(,"body":)";
    json::append_string(data, body);
    data += "}";
    const bool staged = body.size() > 12'000 && one_of(2) == 0;
    const auto time = one_of(5) == 0 ? std::nullopt : std::optional<Instant>(static_cast<Instant>(one_of(30)));
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

  // Compares all pages of one search.
  void compare(const std::string& text, bool all) {
    const auto parsed = text::parse_word_query(text, {.all = all, .forms = one_of(2) == 0, .fields = {}});
    if (!parsed) return;
    const text::WordOrder order = one_of(3) == 0 ? text::WordOrder::kNewest : text::WordOrder::kScore;
    const std::optional<Instant> since = one_of(4) == 0 ? std::optional<Instant>(one_of(30)) : std::nullopt;
    const std::optional<std::size_t> only = one_of(5) == 0 ? std::optional(one_of(3)) : std::nullopt;
    const bool reads = one_of(4) != 0;
    const auto searched = [&](Side& side) {
      WordSearch search;
      search.query = &*parsed;
      WordScope scope;
      scope.stream = side.world->stream("notes");
      scope.columns = side.columns;
      scope.timed = true;
      scope.since = since;
      scope.checked = only.has_value();
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

  Side sides_[2] = {Side("sqlite"), Side("postgres")};
  std::mt19937 random_{20261118};
  std::size_t found_ = 0;
};

TEST_F(EnginesAgree, OnEveryPageOfEverySearch) {
  const int rounds = std::getenv("LADDER_TEST_ALL") != nullptr ? 120 : 10;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    for (int i = 0; i < (round == 0 ? 150 : 15); ++i) change();
    if (round % 4 == 3) must(sides_[one_of(2)].store->sweep(Clock::system().now() + kDay, Deadline::never()));
    for (int i = 0; i < 25 && !HasFailure(); ++i) compare(random_query(), one_of(3) == 0);
  }
  EXPECT_GT(found_, 200u);
  for (Side& side : sides_) {
    for (const std::string& fault : must(side.store->check_invariants())) ADD_FAILURE() << side.store->engine() << ": " << fault;
  }
}

}  // namespace
}  // namespace ladder::store

// The word index under churn: records of all sizes are added, replaced and deleted in random order and in batches of
// all sizes, with searches and sweeps between. Results stay exact, and the index stays proportional to its contents:
// few segments on SQLite; on PostgreSQL no pending list, and dead pages within a factor. LADDER_TEST_ALL=1 runs 100,000
// changes.
#include "word_index_suite.h"

#include "store/sqlite/engine/connection.h"

#include <cstdlib>
#include <random>
#include <set>

namespace ladder::store {
namespace {

class WordChurn : public WordIndexSuite {
 protected:
  static constexpr std::size_t kKeys = 1'500;
  static constexpr std::size_t kVocabulary = 4'000;

  std::size_t one_of(std::size_t n) { return random_() % n; }

  static std::string common_word(std::size_t number) { return format("common{}", number); }
  static std::string own_word(std::size_t key, int version) { return format("own{}v{}", key, version); }

  // One unique word, so that each version can be searched, and others that many records contain.
  std::string text(std::size_t key, int version) {
    const std::size_t kind = one_of(200);
    const std::size_t words = kind == 0 ? 4'000 : kind < 20 ? 200 : 1 + one_of(20);
    std::string body = own_word(key, version);
    for (std::size_t i = 0; i < words; ++i) body += format(" w{}", one_of(kVocabulary));
    return body + " " + common_word(key % 7);
  }

  RecordWrite change() {
    const std::size_t key = one_of(kKeys);
    const std::string name = format("k{}", key);
    int& version = versions_[key];
    const bool is_there = live_.contains(key);
    if (is_there && one_of(3) == 0) {
      live_.erase(key);
      return World::deletion(name);
    }
    live_.insert(key);
    const std::string line = data(format("title {}", key), text(key, ++version));
    return line.size() > 12'000 && one_of(2) == 0 ? world().staged_record(name, line) : world().record(name, line);
  }

  // Most writes are of one record, as over REST; some are large, as imports are.
  std::size_t write_batch() {
    const std::size_t kind = one_of(10);
    const std::size_t count = kind < 6 ? 1 : kind < 9 ? 1 + one_of(20) : 1 + one_of(400);
    std::vector<RecordWrite> batch;
    for (std::size_t i = 0; i < count; ++i) batch.push_back(change());
    WriteTarget target = world().notes();
    world().write(target, std::move(batch));
    return count;
  }

  void search() {
    const std::size_t key = one_of(kKeys);
    const int version = versions_[key];
    const Names own = live_.contains(key) ? Names{format("k{}", key)} : Names{};
    EXPECT_EQ(keys(own_word(key, version)), own);
    if (version > 1) {
      EXPECT_EQ(keys(own_word(key, version - 1)), Names{}) << "replaced or deleted";
    }
  }

  void search_common() {
    for (std::size_t word = 0; word < 7; ++word) {
      const auto wanted = std::ranges::count_if(live_, [&](std::size_t key) { return key % 7 == word; });
      WordSearch search;
      search.scopes = {scope(columns())};
      search.limit = 1;
      EXPECT_EQ(page(store(), search, common_word(word)).matches, wanted);
    }
  }

  std::size_t sqlite_segments() {
    const auto connection = must(sqlite::Connection::open(place().location(), sqlite::Connection::Access::kRead));
    return static_cast<std::size_t>(must(connection->read_integer("SELECT count(*) FROM word_segments")));
  }

  std::size_t postgres_segments() {
    return static_cast<std::size_t>(std::stoll(place().database()->value("SELECT count(*) FROM ladder.word_segments")));
  }

  void expect_small() {
    most_segments_ = std::max(most_segments_, store().engine() == "sqlite" ? sqlite_segments() : postgres_segments());
    EXPECT_LE(most_segments_, 64u);
  }

  std::map<std::size_t, int> versions_;
  std::set<std::size_t> live_;
  std::size_t most_segments_ = 0;
  std::mt19937 random_{20261116};
};

LADDER_FOR_EVERY_ENGINE(WordChurn);

TEST_P(WordChurn, LeavesTheIndexExactAndSmall) {
  const std::size_t changes = std::getenv("LADDER_TEST_ALL") != nullptr ? 100'000 : 3'000;
  std::size_t done = 0;
  for (std::size_t batch = 0; done < changes && !HasFailure(); ++batch) {
    done += write_batch();
    if (one_of(4) == 0) search();
    if (one_of(8) == 0) sweep_all(store(), Clock::system().now() + kDay);
    if (batch % 16 == 0) expect_small();
    if (batch % 64 == 0) search_common();
  }
  sweep_all(store(), Clock::system().now() + kDay);
  expect_small();
  search_common();
  RecordProperty("most_segments", static_cast<int>(most_segments_));
}

}  // namespace
}  // namespace ladder::store

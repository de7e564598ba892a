// The rows of the disclosure ledger: items in key order, under compare-and-swap.
#include "store/ledger_store.h"
#include "store_suite.h"

#include <atomic>
#include <thread>

namespace ladder::store {
namespace {

LedgerItem item(std::string key, std::string body, std::int64_t version = 0, OwnerNo owner = 1, std::string kind = "page") {
  return {{owner, std::move(kind), std::move(key)}, std::move(body), version};
}

class LedgerItemsSuite : public StoreSuite {
 protected:
  LedgerStore& items() { return store().ledger(); }
  bool put(LedgerItem one) { return must(items().apply({{std::move(one)}, {}})); }
  std::vector<std::string> keys(std::string_view from, std::string_view to, std::int64_t limit = 100,
                                KeyOrder order = KeyOrder::kAscending, OwnerNo owner = 1, std::string_view kind = "page") {
    std::vector<std::string> found;
    for (const LedgerItem& one : must(items().scan(owner, kind, from, to, limit, order))) found.push_back(one.at.key);
    return found;
  }
  std::optional<LedgerItem> find(const LedgerKey& key) {
    const auto found = must(items().find({&key, 1}));
    return found.empty() ? std::nullopt : std::optional(found.front());
  }
};
LADDER_FOR_EVERY_ENGINE(LedgerItemsSuite);

TEST_P(LedgerItemsSuite, AnItemIsReturnedUnchanged) {
  const std::string key("\0\xFFkey\x01", 6), body("\0 body \xE4\xB8\xAD", 10);
  EXPECT_TRUE(put(item(key, body)));
  const auto found = find({1, "page", key});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at.key, key);
  EXPECT_EQ(found->body, body);
  EXPECT_EQ(found->version, 1);
  EXPECT_FALSE(find({2, "page", key})) << "another owner";
  EXPECT_FALSE(find({1, "day", key})) << "another kind";
  const std::vector<LedgerKey> asked = {{1, "page", "none"}, {1, "page", key}, {1, "day", key}};
  const auto both = must(items().find(asked));
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both.front().at, asked[1]);
  EXPECT_TRUE(must(items().find({})).empty());
}

TEST_P(LedgerItemsSuite, KeysAreReadInTheOrderOfTheirBytes) {
  for (const char* key : {"b", "a", "c", "ab", "\xFF"}) EXPECT_TRUE(put(item(key, key)));
  EXPECT_TRUE(put(item("aa", "x", 0, 2)));
  EXPECT_TRUE(put(item("aa", "x", 0, 1, "day")));
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys("", ""), (Keys{"a", "ab", "b", "c", "\xFF"}));
  EXPECT_EQ(keys("ab", "c"), (Keys{"ab", "b"}));
  EXPECT_EQ(keys("ab", "c", 100, KeyOrder::kDescending), (Keys{"b", "ab"}));
  EXPECT_EQ(keys("", "", 2), (Keys{"a", "ab"}));
  EXPECT_EQ(keys("", "", 1, KeyOrder::kDescending), (Keys{"\xFF"}));
  EXPECT_EQ(keys("d", "e"), Keys());
}

TEST_P(LedgerItemsSuite, AChangeIsAtomic) {
  EXPECT_TRUE(put(item("a", "1")));
  EXPECT_FALSE(put(item("a", "2"))) << "it exists";
  EXPECT_FALSE(must(items().apply({{item("new", "x"), item("a", "2", 7)}, {}}))) << "it has another version";
  EXPECT_FALSE(find({1, "page", "new"}));
  EXPECT_FALSE(must(items().apply({{item("gone", "x", 1)}, {}}))) << "it is not there";
  EXPECT_TRUE(must(items().apply({{item("new", "x"), item("a", "2", 1)}, {{1, "page", "not there"}}})));
  EXPECT_EQ(find({1, "page", "a"})->body, "2");
  EXPECT_EQ(find({1, "page", "a"})->version, 2);
  EXPECT_TRUE(must(items().apply({{item("b", "x")}, {{1, "page", "a"}, {1, "page", "new"}}})));
  EXPECT_EQ(keys("", ""), std::vector<std::string>{"b"});
}

TEST_P(LedgerItemsSuite, ItemsOutliveTheProcess) {
  EXPECT_TRUE(put(item("a", "1")));
  reopen();
  EXPECT_EQ(find({1, "page", "a"})->body, "1");
}

// Every writer increments the same number; no increment is lost.
TEST_P(LedgerItemsSuite, WritersDoNotOverwriteEachOther) {
  constexpr int kWriters = 4, kTimes = 25;
  EXPECT_TRUE(put(item("sum", "0")));
  std::atomic<int> failures = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&] {
      for (int added = 0; added < kTimes;) {
        const LedgerKey key{1, "page", "sum"};
        const auto read = items().find({&key, 1});
        if (!read || read->empty()) {
          ++failures;
          return;
        }
        LedgerItem next = read->front();
        next.body = std::to_string(std::stoi(next.body) + 1);
        const auto done = items().apply({{next}, {}});
        if (!done) ++failures;
        if (!done) return;
        added += *done ? 1 : 0;
      }
    });
  }
  writers.clear();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(find({1, "page", "sum"})->body, std::to_string(kWriters * kTimes));
}

}  // namespace
}  // namespace ladder::store

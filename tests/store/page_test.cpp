// Records of a stream in order, page by page.
#include "store_suite.h"

#include <algorithm>
#include <random>

namespace ladder::store {
namespace {

using Keys = std::vector<std::string>;

class PageSuite : public StoreSuite {};
LADDER_FOR_EVERY_ENGINE(PageSuite);

TEST_P(PageSuite, AnEmptyStreamHasNoRecords) {
  EXPECT_TRUE(world().keys("notes", false, 10).empty());
  EXPECT_TRUE(world().keys("notes", true, 10).empty());
}

TEST_P(PageSuite, MissingCursorValuesComeLastInBothOrders) {
  world().put("none1", R"({"id":1})");
  world().put("ten", R"({"at":10})");
  world().put("none2", R"({"at":null})");
  world().put("nine", R"({"at":9})");
  world().put("text", R"({"at":"text"})");
  for (const std::int64_t size : {1, 2, 3, 100}) {
    EXPECT_EQ(world().keys("notes", false, size), (Keys{"nine", "ten", "text", "none1", "none2"})) << size;
    EXPECT_EQ(world().keys("notes", true, size), (Keys{"text", "ten", "nine", "none2", "none1"})) << size;
  }
}

TEST_P(PageSuite, PagesOfMissingCursorValuesWork) {
  for (const char* key : {"a", "b", "c"}) world().put(key, "{}");
  EXPECT_EQ(world().keys("notes", false, 2), (Keys{"a", "b", "c"}));
  EXPECT_EQ(world().keys("notes", true, 2), (Keys{"c", "b", "a"}));
}

TEST_P(PageSuite, AnyPageSizeReturnsEveryRecord) {
  std::mt19937 random(7);
  struct Entry {
    int at;
    std::string key;
  };
  std::vector<Entry> entries;
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 500; ++i) {
    entries.push_back({static_cast<int>(random() % 50), "k" + std::to_string(random()) + "_" + std::to_string(i)});
    batch.push_back(world().record(entries.back().key, "{\"at\":" + std::to_string(entries.back().at) + "}"));
  }
  world().write(world().notes(), std::move(batch));
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.at, entry.key); });
  Keys ascending;
  for (const Entry& entry : entries) ascending.push_back(entry.key);
  Keys descending(ascending.rbegin(), ascending.rend());
  for (const std::int64_t size : {7, 100, 499, 500, 501}) {
    EXPECT_EQ(world().keys("notes", false, size), ascending) << size;
    EXPECT_EQ(world().keys("notes", true, size), descending) << size;
  }
}

TEST_P(PageSuite, FollowsAChangedCursorValue) {
  world().put("a", R"({"at":1})");
  world().put("b", R"({"at":2})");
  world().put("a", R"({"at":3})");
  EXPECT_EQ(world().keys("notes", false, 10), (Keys{"b", "a"}));
  world().remove("b");
  EXPECT_EQ(world().keys("notes", false, 10), (Keys{"a"}));
}

TEST_P(PageSuite, StreamsAreSeparate) {
  world().put("note", R"({"at":1})");
  world().write(world().events(), World::one(world().record("event", R"({"at":1})")));
  EXPECT_EQ(world().keys("notes", false, 10), (Keys{"note"}));
  EXPECT_EQ(world().keys("events", true, 10), (Keys{"event"}));
}

TEST_P(PageSuite, WalksByKeyWithoutTheCursorValue) {
  Keys ascending;
  for (int i = 0; i < 30; ++i) {
    const std::string key = std::string(1, static_cast<char>('a' + i % 26)) + (i < 26 ? "" : "é");
    world().put(key, i % 3 ? R"({"at":)" + std::to_string(100 - i) + "}" : "{}");
    ascending.push_back(key);
  }
  std::ranges::sort(ascending);
  for (const bool down : {false, true}) {
    for (const std::int64_t size : {1, 7, 30, 31}) {
      Keys walked;
      const auto reader = must(store().read(world().owner()));
      for (std::string after;;) {
        const auto page = must(reader->page_by_key(world().stream("notes"), after, down, size));
        for (const RecordRow& row : page) walked.push_back(row.key);
        if (std::ssize(page) < size) break;
        after = page.back().key;
      }
      if (down) std::ranges::reverse(walked);
      EXPECT_EQ(walked, ascending) << size;
    }
  }
}

TEST_P(PageSuite, RowsAreComplete) {
  world().put("a", R"({"at":1,"title":"t"})");
  const auto page = must(must(store().read(world().owner()))->page(world().stream("notes"), "", false, 1));
  ASSERT_EQ(page.size(), 1u);
  const RecordRow one = *world().find("a");
  EXPECT_EQ(page[0].no, one.no);
  EXPECT_EQ(page[0].stream, one.stream);
  EXPECT_EQ(page[0].key, one.key);
  EXPECT_EQ(page[0].body, one.body);
  EXPECT_EQ(page[0].emitted_at, one.emitted_at);
  EXPECT_EQ(page[0].order_key, one.order_key);
  EXPECT_EQ(page[0].version, one.version);
  EXPECT_EQ(page[0].digest, one.digest);
}

}  // namespace
}  // namespace ladder::store

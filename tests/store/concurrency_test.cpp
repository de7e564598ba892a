// Several stores in one location, as several processes have them, used by several threads at once (design D17).
#include "store_suite.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

namespace ladder::store {
namespace {

using enum Outcome;

class ConcurrencySuite : public StoreSuite {
 protected:
  // Runs work(i, world) in threads, each on its own Store object.
  template <class Work>
  void in_threads(int count, Work work) {
    std::vector<std::unique_ptr<Store>> stores;
    for (int i = 0; i < count; ++i) stores.push_back(place().open(OpenMode::kExisting));
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        try {
          World own(*stores[static_cast<std::size_t>(i)], "local", "conn_a");
          work(i, own);
        } catch (const std::exception& failure) {
          ADD_FAILURE() << "thread " << i << ": " << failure.what();
        }
      });
    }
    threads.clear();  // joins before the stores are destroyed
  }
};
LADDER_FOR_EVERY_ENGINE(ConcurrencySuite);

TEST_P(ConcurrencySuite, WritersOfOneStreamDoNotConflict) {
  constexpr int kThreads = 4, kBatches = 15, kPerBatch = 10;
  in_threads(kThreads, [&](int thread, World& own) {
    for (int batch = 0; batch < kBatches; ++batch) {
      std::vector<RecordWrite> records;
      for (int i = 0; i < kPerBatch; ++i) {
        const std::string key = std::to_string(thread) + "." + std::to_string(batch) + "." + std::to_string(i);
        records.push_back(own.record(key, "{\"at\":" + std::to_string(i) + ",\"title\":\"" + key + "\"}"));
      }
      records.push_back(own.record("shared", "{\"title\":\"" + std::to_string(thread) + "." + std::to_string(batch) + "\"}"));
      own.write(own.notes(), std::move(records));
    }
  });
  EXPECT_EQ(world().counters().records, kThreads * kBatches * kPerBatch + 1);
  EXPECT_EQ(static_cast<int>(world().keys("notes", false, 50).size()), kThreads * kBatches * kPerBatch + 1);
  EXPECT_EQ(static_cast<int>(world().changes({"title"}, 0, 10'000).size()), kThreads * kBatches * kPerBatch + 1);
}

TEST_P(ConcurrencySuite, OneStoreObjectServesManyThreads) {
  constexpr int kThreads = 6;
  std::vector<std::jthread> threads;
  std::atomic<int> added = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      try {
        for (int i = 0; i < 20; ++i) {
          const std::string key = std::to_string(i % 10);
          if (world().put(key, "{\"title\":\"" + std::to_string(thread) + "\"}") == kAdded) ++added;
          EXPECT_TRUE(world().find(key));
          EXPECT_LE(world().keys("notes", i % 2 == 0, 4).size(), 10u);
        }
      } catch (const std::exception& failure) {
        ADD_FAILURE() << failure.what();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(added, 10);
  EXPECT_EQ(world().counters().records, 10);
}

TEST_P(ConcurrencySuite, AWindowIsNeverTorn) {
  // Two texts of one length alternate during reads; a window must never contain chunks of both.
  const std::string a = "{\"body\":\"" + long_text("a", 30'000) + "\"}", b = "{\"body\":\"" + long_text("b", 30'000) + "\"}";
  world().put("r", a);
  std::atomic<bool> done = false;
  std::atomic<int> whole = 0;
  in_threads(3, [&](int thread, World& own) {
    if (thread == 0) {
      for (int i = 0; i < 25; ++i) {
        own.put("r", i % 2 == 0 ? b : a);
        must(own.store().sweep(kNow, Deadline::after(std::chrono::seconds(5))));
        must(own.store().tidy_words(Deadline::after(std::chrono::seconds(5))));
      }
      done = true;
      return;
    }
    while (!done) {
      const StreamNo streams[] = {own.stream("notes")};
      const auto reader = must(own.store().read(world().owner()));
      const auto found = must(reader->records({}, streams, "r"));
      ASSERT_EQ(found.records.size(), 1u);
      const LongRef ref = must(parse_reference(json::member(found.records[0].body, "body")->text));
      const auto chunks = must(reader->chunks(ref.id, 0, 8));
      if (chunks.size() < 9) {  // swept in the meantime
        EXPECT_EQ(own.store().engine(), "postgres") << "a SQLite reader sees one state";
        continue;
      }
      std::string text;
      for (const std::string& chunk : chunks) text += chunk;
      EXPECT_TRUE(text == long_text("a", 30'000) || text == long_text("b", 30'000));
      ++whole;
    }
  });
  EXPECT_GT(whole, 0);
}

TEST_P(ConcurrencySuite, StagingAndSweepingRunConcurrently) {
  in_threads(4, [&](int thread, World& own) {
    for (int i = 0; i < 6; ++i) {
      if (thread == 0) {
        must(own.store().sweep(Clock::system().now(), Deadline::after(std::chrono::seconds(5))));
        continue;
      }
      const std::string key = std::to_string(thread) + "." + std::to_string(i);
      const std::string data = "{\"body\":\"" + long_text(key, 60'000) + "\"}";
      EXPECT_EQ(own.write(own.notes(), World::one(own.staged_record(key, data))).at(0), kAdded);
    }
  });
  for (int thread = 1; thread < 4; ++thread) {
    for (int i = 0; i < 6; ++i) {
      const std::string key = std::to_string(thread) + "." + std::to_string(i);
      EXPECT_EQ(world().whole(*world().find(key)), "{\"body\":\"" + long_text(key, 60'000) + "\"}");
    }
  }
}

TEST_P(ConcurrencySuite, IdsAreAllocatedOnce) {
  std::mutex mutex;
  std::set<ValueId> ids;
  in_threads(4, [&](int, World& own) {
    for (int i = 0; i < 30; ++i) {
      const ValueId first = must(own.store().reserve_values(world().owner(), 7));
      const std::lock_guard lock(mutex);
      for (ValueId id = first; id < first + 7; ++id) EXPECT_TRUE(ids.insert(id).second);
    }
  });
}

TEST_P(ConcurrencySuite, TheCatalogAcceptsConcurrentAdditions) {
  in_threads(4, [&](int thread, World& own) {
    for (int i = 0; i < 5; ++i) {
      must(own.store().add_owner("owner " + std::to_string(i), kNow));
      World more(own.store(), "local", "conn_" + std::to_string(i));
      more.put(std::to_string(thread), "{}");
    }
  });
  EXPECT_EQ(must(store().owners()).size(), 6u);
  EXPECT_EQ(must(store().catalog(world().owner())).connections.size(), 6u);
  World third(store(), "local", "conn_3");
  EXPECT_EQ(third.counters().records, 4);
}

}  // namespace
}  // namespace ladder::store

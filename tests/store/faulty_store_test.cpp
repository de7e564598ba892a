// The fault-injecting store over both engines: the chosen call fails and changes nothing; every other call reaches the
// real store.
#include "store/testing/faulty_store.h"
#include "store_suite.h"

namespace ladder::store {
namespace {

using testing::FaultyStore;

class FaultyStoreSuite : public StoreSuite {};
LADDER_FOR_EVERY_ENGINE(FaultyStoreSuite);

TEST_P(FaultyStoreSuite, ForwardsEveryOtherCall) {
  FaultyStore faulty(store());
  World through(faulty, "local", "conn_a");
  const std::string data = "{\"body\":\"" + long_text("x", 9'000) + "\"}";
  EXPECT_EQ(through.put("a", data), Outcome::kAdded);
  EXPECT_EQ(through.whole(*through.find("a")), data);
  EXPECT_EQ(world().whole(*world().find("a")), data);
  EXPECT_EQ(faulty.engine(), store().engine());
  EXPECT_EQ(faulty.seal_keys().size(), store().seal_keys().size());
  EXPECT_GT(faulty.faults().calls(), 8);
  EXPECT_FALSE(faulty.faults().failed());
}

TEST_P(FaultyStoreSuite, FailsTheChosenCallOnly) {
  FaultyStore faulty(store());
  World through(faulty, "local", "conn_a");
  RecordWrite records[] = {through.record("a", "{}")};
  faulty.faults().fail_call(2);
  EXPECT_TRUE(faulty.find_owner("local"));
  const auto failed = faulty.write(through.notes(), records, kNow);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::kStoreUnavailable);
  EXPECT_TRUE(faulty.faults().failed());
  EXPECT_FALSE(world().find("a")) << "a failed write has changed nothing";
  EXPECT_TRUE(faulty.write(through.notes(), records, kNow));
  EXPECT_TRUE(world().find("a"));
}

TEST_P(FaultyStoreSuite, CountsReadersAndStagings) {
  FaultyStore faulty(store());
  const auto reader = must(faulty.read(world().owner()));
  faulty.faults().fail_call(1);
  EXPECT_FALSE(reader->counters(world().stream("notes")));
  EXPECT_TRUE(reader->counters(world().stream("notes")));
  const ValueId id = must(faulty.reserve_values(world().owner(), 1));
  const auto staging = must(faulty.stage(world().owner(), id, 1, 0));
  faulty.faults().fail_call(2, 1);
  EXPECT_TRUE(staging->put_chunk(id, 0, "x"));
  EXPECT_FALSE(staging->put_chunk(id, 1, "x"));
  EXPECT_FALSE(staging->finish());
  EXPECT_TRUE(staging->finish());
}

// For any failing call, the ingest of one record is either complete or invisible.
TEST_P(FaultyStoreSuite, EveryPointOfFailureIsAtomic) {
  const std::string data = "{\"body\":\"" + long_text("y", 9'000) + "\"}";
  bool done = false;
  for (std::int64_t n = 1; !done; ++n) {
    ASSERT_LT(n, 50);
    FaultyStore faulty(store());
    World through(faulty, "local", "conn_a");
    const std::string key = "k" + std::to_string(n);
    faulty.faults().fail_call(n);
    try {
      through.write(through.notes(), World::one(through.staged_record(key, data)));
    } catch (const std::runtime_error&) {
      EXPECT_FALSE(world().find(key)) << n;
      continue;
    }
    done = true;
    EXPECT_FALSE(faulty.faults().failed());
    EXPECT_EQ(world().whole(*world().find(key)), data);
  }
  EXPECT_EQ(world().counters().records, 1);
}

}  // namespace
}  // namespace ladder::store

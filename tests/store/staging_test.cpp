// Values too large for one short transaction are staged: invisible until a record references them, swept if none ever
// does.
#include "store_suite.h"

#include "base/limits.h"

namespace ladder::store {
namespace {

using enum Outcome;
using Outcomes = std::vector<Outcome>;

class StagingSuite : public StoreSuite {
 protected:
  // Leases use the machine's clock.
  static Instant soon() { return Clock::system().now() + 1 * kSecond; }
  static Instant after_the_lease() { return Clock::system().now() + (limits::kStagingLeaseS + 5) * kSecond; }
  static std::string body(const std::string& text) { return "{\"body\":\"" + text + "\"}"; }
};
LADDER_FOR_EVERY_ENGINE(StagingSuite);

TEST_P(StagingSuite, StagedTextIsInvisibleUntilARecordReferencesIt) {
  const std::string data = body(long_text("staged ", 300'000));
  RecordWrite write = world().staged_record("a", data);
  EXPECT_FALSE(world().find("a"));
  EXPECT_EQ(world().counters().records, 0);
  EXPECT_TRUE(world().changes({}, 0).empty());
  expect_sound(store());
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))), Outcomes{kAdded});
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

TEST_P(StagingSuite, AnAttachedValueIsNotSwept) {
  const std::string data = body(long_text("kept ", 100'000));
  world().write(world().notes(), World::one(world().staged_record("a", data)));
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

TEST_P(StagingSuite, ALeaseProtectsUnfinishedStaging) {
  const std::string data = body(long_text("young ", 100'000));
  RecordWrite write = world().staged_record("a", data);
  EXPECT_EQ(sweep_all(store(), soon()), 0);
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))), Outcomes{kAdded});
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

TEST_P(StagingSuite, AbandonedTextIsSweptAndTheWriteRefused) {
  RecordWrite write = world().staged_record("a", body(long_text("old ", 100'000)));
  const ValueId id = write.first_value;
  EXPECT_GT(world().stored_chunks(id), 0);
  EXPECT_EQ(sweep_all(store(), after_the_lease()), 1);
  EXPECT_EQ(world().stored_chunks(id), 0);
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))), Outcomes{kStagingLost});
  EXPECT_FALSE(world().find("a"));
  EXPECT_EQ(world().counters().records, 0);
}

TEST_P(StagingSuite, ALostStagingLeavesTheOldRecordAndTheRestOfTheBatch) {
  world().put("a", body("short"));
  std::vector<RecordWrite> batch;
  batch.push_back(world().record("b", body("b")));
  batch.push_back(world().staged_record("a", body(long_text("lost ", 50'000))));
  batch.push_back(world().record("c", body("c")));
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().write(world().notes(), std::move(batch)), (Outcomes{kAdded, kStagingLost, kAdded}));
  EXPECT_EQ(world().find("a")->body, body("short"));
  EXPECT_TRUE(world().find("c"));
}

TEST_P(StagingSuite, PuttingMoreRenewsTheLeaseOrFails) {
  const ValueId id = must(store().reserve_values(world().owner(), 1));
  const auto staging = must(store().stage(world().owner(), id, 1, 0));
  must(staging->put_chunk(id, 0, "first"));
  must(staging->finish());
  sweep_all(store(), after_the_lease());
  Status more = staging->put_chunk(id, 1, "second");
  if (more) more = staging->finish();
  ASSERT_FALSE(more) << "chunks must not trickle into a set that was swept";
  EXPECT_EQ(more.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(world().stored_chunks(id), 0);
}

TEST_P(StagingSuite, AnUnfinishedStagingIsSwept) {
  const ValueId id = must(store().reserve_values(world().owner(), 2));
  {
    const auto staging = must(store().stage(world().owner(), id, 2, 0));
    for (int i = 0; i < 2'000; ++i) must(staging->put_chunk(id, i, std::string(3'000, 'x')));
    must(staging->put_directory_page(id + 1, 5, "page"));
  }
  expect_sound(store());
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().stored_chunks(id), 0);
  EXPECT_FALSE(must(must(store().read(world().owner()))->directory_page(id + 1, 5)));
}

TEST_P(StagingSuite, ReplacesTheOldValue) {
  world().put("a", body(long_text("first ", 9'000)));
  const ValueId old = must(parse_reference(json::member(world().find("a")->body, "body")->text)).id;
  const std::string data = body(long_text("second ", 90'000));
  EXPECT_EQ(world().write(world().notes(), World::one(world().staged_record("a", data))), Outcomes{kChanged});
  sweep_all(store(), soon());
  EXPECT_EQ(world().stored_chunks(old), 0);
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

TEST_P(StagingSuite, UnusedStagingIsDiscarded) {
  const std::string data = body(long_text("same ", 20'000));
  EXPECT_EQ(world().write(world().notes(), World::one(world().staged_record("a", data))), Outcomes{kAdded});
  RecordWrite again = world().staged_record("a", data);
  const ValueId unused = again.first_value;
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(again))), Outcomes{kUnchanged});
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().stored_chunks(unused), 0);
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

TEST_P(StagingSuite, StagesIntoAppendOnlyStreams) {
  const std::string data = body(long_text("event ", 20'000));
  EXPECT_EQ(world().write(world().events(), World::one(world().staged_record("e", data))), Outcomes{kAdded});
  const std::string other = body(long_text("other ", 20'000));
  EXPECT_EQ(world().write(world().events(), World::one(world().staged_record("e", other))), Outcomes{kAppendOnly});
  EXPECT_EQ(world().whole(*world().find(world().stream("events"), "e")), data);
  sweep_all(store(), after_the_lease());
  EXPECT_EQ(world().whole(*world().find(world().stream("events"), "e")), data);
}

TEST_P(StagingSuite, AnotherProcessMayAttachStagedValues) {
  const std::string data = body(long_text("handed over ", 20'000));
  RecordWrite write = world().staged_record("a", data);
  const auto other = place().open(OpenMode::kExisting);
  World elsewhere(*other, "local", "conn_a");
  EXPECT_EQ(elsewhere.write(elsewhere.notes(), World::one(std::move(write))), Outcomes{kAdded});
  EXPECT_EQ(world().whole(*world().find("a")), data);
}

}  // namespace
}  // namespace ladder::store

// Outcomes, counters and versions of the lines of a batch.
#include "store_suite.h"

#include <set>

namespace ladder::store {
namespace {

using enum Outcome;
using Outcomes = std::vector<Outcome>;

class WriteSuite : public StoreSuite {};
LADDER_FOR_EVERY_ENGINE(WriteSuite);

TEST_P(WriteSuite, ARecordIsReturnedUnchanged) {
  const std::string data = R"({"id":"a","at":1.50,"title":"T\u0041","more":[1, 2],"big":18446744073709551616})";
  RecordWrite write = world().record("a", data);
  write.emitted_at = "2026-04-01T12:00:00+02:00";
  const std::string order = write.order_key;
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(write))), Outcomes{kAdded});
  const auto row = world().find("a");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->key, "a");
  EXPECT_EQ(row->body, data);
  EXPECT_EQ(row->emitted_at, "2026-04-01T12:00:00+02:00");
  EXPECT_EQ(row->order_key, order);
  EXPECT_EQ(row->digest, crypto::sha256(data));
  EXPECT_EQ(row->stream, world().stream("notes"));
  EXPECT_GT(row->version, 0);
  EXPECT_GT(row->no, 0);
}

TEST_P(WriteSuite, ReportsEveryOutcome) {
  EXPECT_EQ(world().put("a", R"({"id":"a","title":"one"})"), kAdded);
  const RecordRow added = *world().find("a");
  EXPECT_EQ(world().put("a", R"({"id":"a","title":"one"})"), kUnchanged);
  EXPECT_EQ(world().find("a")->version, added.version);
  EXPECT_EQ(world().put("a", R"({"id":"a","title":"two"})"), kChanged);
  const RecordRow changed = *world().find("a");
  EXPECT_GT(changed.version, added.version);
  EXPECT_EQ(changed.no, added.no);
  EXPECT_EQ(changed.body, R"({"id":"a","title":"two"})");
  EXPECT_EQ(world().remove("a"), kDeleted);
  EXPECT_FALSE(world().find("a"));
  EXPECT_EQ(world().remove("a"), kAbsent);
  EXPECT_EQ(world().remove("never"), kAbsent);
  EXPECT_EQ(world().put("a", R"({"id":"a","title":"two"})"), kAdded);
  EXPECT_TRUE(world().find("a"));
}

TEST_P(WriteSuite, UnchangedMeansNothingWasWritten) {
  world().put("a", R"({"id":"a"})");
  RecordWrite again = world().record("a", R"({"id":"a"})");
  again.emitted_at = "2030-01-01T00:00:00Z";
  EXPECT_EQ(world().write(world().notes(), World::one(std::move(again))), Outcomes{kUnchanged});
  EXPECT_EQ(world().find("a")->emitted_at, "2026-04-01T00:00:00Z");
}

TEST_P(WriteSuite, OtherBytesOfTheSameFieldsAreKept) {
  world().put("a", R"({"id":"a","title":"t"})");
  const std::int64_t before = world().counters().max_version;
  EXPECT_EQ(world().put("a", R"({"title":"t", "id":"a"})"), kChanged);
  EXPECT_EQ(world().find("a")->digest, crypto::sha256(R"({"title":"t", "id":"a"})"));
  EXPECT_EQ(world().find("a")->body, R"({"title":"t","id":"a"})");
  EXPECT_TRUE(world().changes({"id", "title"}, before).empty()) << "no field changed";
}

TEST_P(WriteSuite, AppendOnlyAcceptsEachKeyOnce) {
  const auto put = [&](std::string_view key, const std::string& data) {
    return world().write(world().events(), World::one(world().record(key, data))).at(0);
  };
  EXPECT_EQ(put("e", R"({"id":"e","at":1})"), kAdded);
  EXPECT_EQ(put("e", R"({"id":"e","at":1})"), kUnchanged);
  EXPECT_EQ(put("e", R"({"id":"e","at":2})"), kAppendOnly);
  EXPECT_EQ(world().find(world().stream("events"), "e")->body, R"({"id":"e","at":1})");
  EXPECT_EQ(world().counters("events").records, 1);
}

TEST_P(WriteSuite, LinesOfOneBatchSeeTheOnesBefore) {
  std::vector<RecordWrite> batch;
  batch.push_back(world().record("a", R"({"id":"a","title":"1"})"));
  batch.push_back(world().record("a", R"({"id":"a","title":"1"})"));
  batch.push_back(world().record("a", R"({"id":"a","title":"2"})"));
  batch.push_back(world().record("b", R"({"id":"b"})"));
  batch.push_back(World::deletion("a"));
  batch.push_back(World::deletion("a"));
  batch.push_back(world().record("a", R"({"id":"a","title":"3"})"));
  EXPECT_EQ(world().write(world().notes(), std::move(batch)),
            (Outcomes{kAdded, kUnchanged, kChanged, kAdded, kDeleted, kAbsent, kAdded}));
  EXPECT_EQ(world().find("a")->body, R"({"id":"a","title":"3"})");
  EXPECT_EQ(world().counters().records, 2);
  EXPECT_EQ(world().changes({"title"}, 0), (std::vector<std::string>{"b", "a"}));
}

TEST_P(WriteSuite, LinesOfOneBatchShareAKeyInAppendOnlyToo) {
  std::vector<RecordWrite> batch;
  batch.push_back(world().record("e", R"({"id":"e","at":1})"));
  batch.push_back(world().record("e", R"({"id":"e","at":2})"));
  batch.push_back(world().record("e", R"({"id":"e","at":1})"));
  EXPECT_EQ(world().write(world().events(), std::move(batch)), (Outcomes{kAdded, kAppendOnly, kUnchanged}));
}

TEST_P(WriteSuite, CountersCountLiveRecordsPerStream) {
  EXPECT_EQ(world().counters().records, 0);
  EXPECT_EQ(world().counters().max_version, 0);
  for (int i = 0; i < 5; ++i) world().put(std::to_string(i), "{\"at\":" + std::to_string(i) + "}");
  EXPECT_EQ(world().counters().records, 5);
  EXPECT_EQ(world().counters().max_version, world().find("4")->version);
  world().remove("2");
  EXPECT_EQ(world().counters().records, 4);
  EXPECT_GT(world().counters().max_version, world().find("4")->version);
  EXPECT_EQ(world().counters("events").records, 0);
  const std::int64_t version = world().counters().max_version;
  world().put("4", "{\"at\":4}");
  EXPECT_EQ(world().counters().max_version, version);
}

TEST_P(WriteSuite, VersionsAreNeverShared) {
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 300; ++i) batch.push_back(world().record("k" + std::to_string(i), "{\"at\":" + std::to_string(i) + "}"));
  world().write(world().notes(), std::move(batch));
  std::set<std::int64_t> versions, numbers;
  for (int i = 0; i < 300; ++i) {
    const auto row = world().find("k" + std::to_string(i));
    ASSERT_TRUE(row);
    EXPECT_TRUE(versions.insert(row->version).second);
    EXPECT_TRUE(numbers.insert(row->no).second);
  }
}

TEST_P(WriteSuite, AnEmptyBatchIsFine) { EXPECT_TRUE(world().write(world().notes(), {}).empty()); }

TEST_P(WriteSuite, AnUnknownStreamIsRefused) {
  WriteTarget target = world().notes();
  target.stream = 999'999;
  std::vector<RecordWrite> batch = World::one(world().record("a", "{}"));
  const auto outcomes = store().write(target, batch, kNow);
  ASSERT_FALSE(outcomes);
  EXPECT_FALSE(outcomes.error().message.empty());
}

TEST_P(WriteSuite, AcknowledgedWritesSurviveReopening) {
  world().put("a", R"({"id":"a","body":")" + long_text("long ", 10'000) + "\"}");
  const auto before = world().find("a");
  const auto seal_keys = store().seal_keys();
  reopen();
  World again(store(), "local", "conn_a");
  const auto after = again.find("a");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->body, before->body);
  EXPECT_EQ(again.whole(*after), R"({"id":"a","body":")" + long_text("long ", 10'000) + "\"}");
  ASSERT_EQ(store().seal_keys().size(), seal_keys.size());
  EXPECT_EQ(store().seal_keys().back().secret, seal_keys.back().secret);
}

}  // namespace
}  // namespace ladder::store

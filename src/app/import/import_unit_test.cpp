// Tests the parent's side of an import against a malicious child: every message is checked, and memory is bounded.
#include "app/import/import_plan.h"
#include "app/testing/played_child.h"
#include "import/wire/messages.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <vector>

namespace ladder::app {
namespace {

using imports::wire::Frame;
using imports::wire::Kind;
using testing::PlayedChild;
using testing::PlayedStore;

Frame record(const std::string& stream, std::string_view data, std::uint64_t size, const std::string& key = {}) {
  Frame frame{Kind::kRecord, {}};
  imports::wire::append_record_header(frame.payload, {stream, {"file", 0}, std::nullopt, size, key});
  frame.payload += data;
  return frame;
}
Frame record(const std::string& stream, std::string_view data) { return record(stream, data, data.size()); }
Frame loss(Kind kind, const std::string& file, const std::string& reason) {
  return {kind, imports::wire::to_bytes({{file, -1}, reason})};
}

// Returns `count` frames, each made from its number.
PlayedChild many(std::int64_t count, const std::function<Frame(std::int64_t)>& make) {
  return PlayedChild([=, at = std::int64_t{0}](Frame& frame) mutable {
    if (at == count) return false;
    frame = make(at++);
    return true;
  });
}
PlayedChild some(std::vector<Frame> frames) {
  const auto count = std::ssize(frames);
  return many(count, [frames = std::move(frames)](std::int64_t i) { return frames[static_cast<std::size_t>(i)]; });
}

std::int64_t memory_kib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

class HostileChild : public ::testing::Test {
 protected:
  PlayedStore store_;
};

TEST_F(HostileChild, TooManyStreamsEndTheUnit) {
  PlayedChild child =
      many(PlayedStore::kStreams, [](std::int64_t i) { return record("s" + std::to_string(i), R"({"id":"a"})"); });
  const auto outcome = store_.take(child);
  ASSERT_TRUE(outcome.ran) << outcome.ran.error().message;
  EXPECT_TRUE(outcome.child_has_ended);
  EXPECT_EQ(outcome.account.broken_off, "the extractor sent too many streams");
  EXPECT_EQ(outcome.account.streams.size(), 64U);
  for (const auto& [name, stream] : outcome.account.streams) EXPECT_EQ(stream.added, 1) << name;
}

TEST_F(HostileChild, AnUndeclaredStreamEndsOnlyTheUnit) {
  PlayedChild child = some({record("s1", R"({"id":"a"})"), record("other", R"({"id":"a"})")});
  const auto outcome = store_.take(child);
  ASSERT_TRUE(outcome.ran) << outcome.ran.error().message;
  EXPECT_TRUE(outcome.child_has_ended);
  EXPECT_EQ(outcome.account.streams.at("s1").added, 1);
}

TEST_F(HostileChild, ReasonsAndLossesAreBounded) {
  const std::string long_text(3'000, 'x');
  PlayedChild child = many(40'000, [&](std::int64_t i) {
    const std::string other = std::to_string(i) + long_text;
    if (i % 4 == 0) return loss(Kind::kLost, other, other);
    if (i % 400 == 1) return Frame{Kind::kCheckpoint, other};
    return loss(Kind::kSkipped, "s" + std::to_string(i % 50), other);
  });
  const std::int64_t before = memory_kib();
  const auto outcome = store_.take(child);
  ASSERT_TRUE(outcome.ran);
  EXPECT_EQ(outcome.account.lost, 10'001);  // the import ended
  EXPECT_LE(outcome.account.losses.size(), UnitAccount::kListedLosses);
  std::size_t reasons = 0;
  std::int64_t skipped = 0;
  for (const auto& [name, stream] : outcome.account.streams) {
    reasons += stream.skipped.size();
    for (const auto& [reason, count] : stream.skipped) skipped += count;
  }
  EXPECT_EQ(skipped, 29'900);
  EXPECT_LE(reasons, UnitAccount::kListedReasons + 50);
  EXPECT_LT(to_json(outcome.account).size(), 4'000'000U);
  EXPECT_TRUE(read_account(to_json(outcome.account)));
  // About 150 MB of frames arrived; sanitizers keep freed blocks for a while.
  EXPECT_LT(memory_kib() - before, 600'000);
}

TEST_F(HostileChild, StreamNamesInSkipsAreBounded) {
  PlayedChild child = many(100'000, [](std::int64_t i) { return loss(Kind::kSkipped, "x" + std::to_string(i), "why"); });
  const auto outcome = store_.take(child);
  ASSERT_TRUE(outcome.ran);
  EXPECT_TRUE(outcome.child_has_ended);
  EXPECT_LE(outcome.account.streams.size(), 128U);
}

TEST_F(HostileChild, RecordsWaitingForBlobsAreBounded) {
  PlayedChild child = some({{Kind::kBlobEnd, "1"}});
  int passed = 0;
  ImportBlobs blobs(child, store_.server().ingest(), store_.owner(), store_.stop(),
                    [&](const imports::wire::RecordHeader&, std::string_view) {
                      ++passed;
                      return Status{};
                    });
  ASSERT_TRUE(blobs.take("text/plain"));
  int held = 0;
  for (; held < 5'000 && blobs.holds(2); ++held) blobs.hold({"s1", {std::string(8'000, 'n'), held}, std::nullopt, 2});
  EXPECT_LT(held, 1'200);  // 8 MiB including the names
  EXPECT_TRUE(blobs.flush());
  EXPECT_EQ(passed, held);
  EXPECT_TRUE(blobs.holds(8'000'000));
}

TEST_F(HostileChild, DataAfterTheObjectDoesNotReachTheEnvelope) {
  PlayedChild first = some({record("s1", R"({"id":"a","text":"kept"})"), {Kind::kUnitEnd, ""}});
  ASSERT_EQ(store_.take(first).account.streams.at("s1").added, 1);
  PlayedChild child = some({record("s1", R"({"id":"a"},"op":"delete")"),
                            record("s1", R"(null,"op":"delete","key":"a")"),
                            record("s1", R"({"id":"a"} ,"op":"delete")"),
                            record("s1", R"({"id":"b","text":"\\"})"),
                            record("s1", R"({"id":"c","text":"}\"}"})"),
                            {Kind::kUnitEnd, ""}});
  const auto outcome = store_.take(child);
  ASSERT_TRUE(outcome.ran) << outcome.ran.error().message;
  EXPECT_EQ(outcome.account.streams.at("s1").rejected, 3);
  EXPECT_EQ(outcome.account.streams.at("s1").added, 2);
  PlayedChild again = some({record("s1", R"({"id":"a","text":"kept"})"), {Kind::kUnitEnd, ""}});
  EXPECT_EQ(store_.take(again).account.streams.at("s1").unchanged, 1);
}

TEST_F(HostileChild, FramesOutOfOrderEndTheUnit) {
  const std::vector<std::vector<Frame>> conversations = {
      {{Kind::kMore, "x"}},
      {{Kind::kBlobEnd, "1"}},
      {{Kind::kUnit, "{}"}},
      {{Kind::kDeclaration, "{}"}},
      {{Kind::kHello, "{}"}},
      {record("s1", "{", 20), {Kind::kUnitEnd, ""}},
      {record("s1", "{", 20), {Kind::kBlob, ""}},
      {record("s1", "{}{}{}", 2)},
      {record("s1", "{\n}")},
      {record("s1", R"({"id":"a"})", 10, "no json")},
      {{Kind::kBlob, ""}, record("s1", "{}")},
      {{Kind::kBlob, std::string(300, 'a') + "/b"}},
      {{Kind::kBlob, "a/\x1b[2J"}},
      {{Kind::kProgress, "-1"}},
      {{Kind::kProgress, "9e9"}},
      {{Kind::kCheckpoint, std::string(imports::wire::kMaxPositionBytes + 1, 'p')}},
      {{Kind::kLost, "\xff\xff\xff"}},
  };
  for (std::size_t i = 0; i < conversations.size(); ++i) {
    PlayedChild child = some(conversations[i]);
    const auto outcome = store_.take(child);
    EXPECT_TRUE(outcome.ran) << i;
    EXPECT_TRUE(outcome.child_has_ended) << i;
    EXPECT_FALSE(outcome.account.broken_off.empty()) << i;
    EXPECT_NE(outcome.account.broken_off, "the extractor has ended") << i;
  }
}

TEST_F(HostileChild, ReasonsAreText) {
  PlayedChild child = some({{Kind::kUnitEnd, "\xff\xfe"}});
  EXPECT_EQ(store_.take(child).account.broken_off, "the extractor sent a reason that is not text");
  PlayedChild talkative = some({{Kind::kUnitEnd, std::string(900'000, 'r')}});
  EXPECT_LE(store_.take(talkative).account.broken_off.size(), imports::wire::kMaxReasonBytes);
}

Frame unit(std::int64_t number, std::int64_t bytes = 1) {
  imports::wire::PlannedUnit planned;
  planned.number = number;
  planned.format = "notes";
  planned.bytes = bytes;
  return {Kind::kUnit, imports::wire::to_json(planned)};
}

TEST(HostilePlan, IsCheckedAndBounded) {
  PlayedChild skips = some({unit(1)});
  EXPECT_FALSE(read_plan(skips));
  PlayedChild miscounts = some({unit(0), {Kind::kPlanned, imports::wire::to_json(imports::wire::PlanEnd{2, 0, ""})}});
  EXPECT_FALSE(read_plan(miscounts));
  PlayedChild absurd =
      some({{Kind::kUnit, R"({"number":0,"format":"a","what":"","file":"","tree":"","place":"","account":"","files":1,)"
                          R"("bytes":9000000000000000000,"fingerprint":"","connection_id":"","display_name":"",)"
                          R"("source_key":"","part":"","hint":"","only_source":0})"}});
  EXPECT_FALSE(read_plan(absurd));
  const std::string long_text(4'000, 'x');
  PlayedChild refuses = many(30'001, [&](std::int64_t i) {
    if (i == 30'000) return Frame{Kind::kPlanned, imports::wire::to_json(imports::wire::PlanEnd{})};
    return loss(i % 2 == 0 ? Kind::kRefusal : Kind::kLink, std::to_string(i) + long_text, "no");
  });
  const auto plan = read_plan(refuses);
  ASSERT_TRUE(plan);
  EXPECT_LT(plan->refusals.size() + plan->links.size(), 20'000U);  // 64 MiB of them
}

}  // namespace
}  // namespace ladder::app

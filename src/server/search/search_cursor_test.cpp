// Tests of search cursors: round trip, constant length, and binding to one search.
#include "server/search/search_cursor.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

const crypto::Sealer& sealer() {
  static const crypto::Sealer made({{1, std::string(crypto::kSealKeyBytes, 'k')}});
  return made;
}
const std::string kBinding(16, 'b');

SearchPosition position(std::string key) { return {-7, {parse_time("1969-07-20T20:17:40Z"), std::move(key), "home", "notes"}}; }

TEST(SearchCursor, RoundTrips) {
  for (const bool timed : {false, true}) {
    SearchPosition made = position(std::string("k\0\xff", 3));
    if (!timed) made.last.time.reset();
    const auto opened = open_search(sealer(), kBinding, seal_search(sealer(), kBinding, made));
    ASSERT_TRUE(opened);
    EXPECT_EQ(*opened, made);
  }
}

TEST(SearchCursor, StoresTheRankingWeights) {
  SearchPosition made = position("a");
  made.score = 900;
  made.weights.terms = {0, 1'234, 21'000};
  made.weights.finders = 0b110;
  made.weights.measured_above = 700;
  made.weights.usual_chars = 4'000'000'000;
  made.weights.feedback = {{0xFFFF'FFFF, 65'535}, {0, 1}};
  const auto opened = [&] { return *open_search(sealer(), kBinding, seal_search(sealer(), kBinding, made)); };
  EXPECT_EQ(opened(), made);
  for (const std::int64_t above : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{2'147'483'647}, text::kNothingMeasured}) {
    made.weights.measured_above = above;
    EXPECT_EQ(opened().weights.measured_above, above);
  }
  made.weights.measured_above = 900;
  EXPECT_TRUE(opened().weights.feedback.empty()) << "later pages do not need the feedback weights";
  made.weights.feedback.clear();
  made.head_end = {7, {std::nullopt, "k", "home", "notes"}};
  EXPECT_EQ(opened(), made);
}

TEST(SearchCursor, StoresQueryChangesAndShownRecords) {
  SearchPosition made = position("a");
  made.changes.chosen = {0, 7, 255};
  made.changes.corrections = {{1, {"sumatriptan", "квартиры"}}, {2, {"hotel"}}};
  made.shown = {0, 0xFFFF'FFFF, 12};
  made.times = TimeRange{-5, std::nullopt};
  const auto opened = open_search(sealer(), kBinding, seal_search(sealer(), kBinding, made));
  ASSERT_TRUE(opened);
  EXPECT_EQ(*opened, made);
}

TEST(SearchCursor, IsShort) {
  SearchPosition made = position(std::string(24, 'k'));
  made.score = 900;
  made.weights.terms.assign(8, 5'000);
  made.weights.feedback.assign(20, {1, 2});
  EXPECT_LE(seal_search(sealer(), kBinding, made).size(), 420U);
}

TEST(SearchCursor, HasConstantLengthAndRandomText) {
  const std::string one = seal_search(sealer(), kBinding, position("a"));
  EXPECT_NE(one, seal_search(sealer(), kBinding, position("a")));
  EXPECT_EQ(one.size(), seal_search(sealer(), kBinding, position(std::string(30, 'k'))).size());
}

TEST(SearchCursor, OpensOnlyForItsOwnSearch) {
  const std::string sealed = seal_search(sealer(), kBinding, position("a"));
  EXPECT_EQ(open_search(sealer(), std::string(16, 'c'), sealed).error().code, Code::kCursorMismatch);
  EXPECT_EQ(open_search(sealer(), kBinding, sealed.substr(1)).error().code, Code::kInvalidCursor);
  EXPECT_EQ(open_search(sealer(), kBinding, "x").error().code, Code::kInvalidCursor);
  const std::string other = sealer().seal_fresh("list-cursor", kBinding + std::string(100, 'x'));
  EXPECT_EQ(open_search(sealer(), kBinding, other).error().code, Code::kInvalidCursor);
  const std::string cut = sealer().seal_fresh("search-cursor", kBinding + "short");
  EXPECT_EQ(open_search(sealer(), kBinding, cut).error().code, Code::kInvalidCursor);
  const crypto::Sealer later({{2, std::string(crypto::kSealKeyBytes, 'n')}});
  EXPECT_EQ(open_search(later, kBinding, sealed).error().code, Code::kCursorExpired);
}

}  // namespace
}  // namespace ladder::server

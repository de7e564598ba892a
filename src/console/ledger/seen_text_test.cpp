#include "console/ledger/seen_text.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace ladder::console {
namespace {

using server::ShownRange;
using server::ShownRanges;

TEST(SeenText, SplitsAtEveryRangeBorder) {
  const std::vector<ShownRanges> ranges = {{{0, 10}}, {{5, 7}, {9, 20}}};
  const std::vector<SeenPart> expected = {{0, 5, {0}}, {5, 7, {0, 1}}, {7, 9, {0}}, {9, 10, {0, 1}}, {10, 20, {1}}, {20, 30, {}}};
  EXPECT_EQ(split_by_reader(30, ranges), expected);
}

TEST(SeenText, HandlesNoReadersAndRangesPastTheEnd) {
  EXPECT_EQ(split_by_reader(4, {}), (std::vector<SeenPart>{{0, 4, {}}}));
  EXPECT_TRUE(split_by_reader(0, {}).empty());
  const std::vector<ShownRanges> beyond = {{{2, 9}, {12, 14}}};
  EXPECT_EQ(split_by_reader(4, beyond), (std::vector<SeenPart>{{0, 2, {}}, {2, 4, {0}}}));
}

TEST(SeenText, MergesAdjacentRanges) {
  const std::vector<ShownRanges> ranges = {{{0, 5}, {5, 9}}};
  EXPECT_EQ(split_by_reader(9, ranges), (std::vector<SeenPart>{{0, 9, {0}}}));
}

// For random ranges, the parts cover the text without gaps, and each character belongs to exactly the readers whose ranges
// contain it.
TEST(SeenText, AssignsEachCharToItsReaders) {
  std::mt19937 random(7);
  const auto below = [&](int bound) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound)); };
  for (int round = 0; round < 200; ++round) {
    const std::int64_t size = below(60);
    std::vector<ShownRanges> ranges(static_cast<std::size_t>(below(4)));
    for (ShownRanges& one : ranges) {
      for (std::int64_t i = below(5); i > 0; --i) {
        const std::int64_t start = below(60);
        server::add_range(one, {start, start + below(20)});
      }
    }
    std::int64_t at = 0;
    for (const SeenPart& part : fold_parts(split_by_reader(size, ranges),
                                           {.max_unfolded = 8, .head = 3, .tail = 2, .max_shown = 25}, ShownRange{10, 20})) {
      ASSERT_EQ(part.start, at);
      ASSERT_LT(part.start, part.end);
      at = part.end;
      for (std::int64_t c = part.start; c < part.end && !part.mixed; ++c) {
        std::vector<std::size_t> by;
        for (std::size_t who = 0; who < ranges.size(); ++who) {
          for (const ShownRange& range : ranges[who]) {
            if (range.start <= c && c < range.end) by.push_back(who);
          }
        }
        ASSERT_EQ(part.by, by) << "char " << c;
      }
    }
    ASSERT_EQ(at, size);
  }
}

TEST(SeenText, FoldsAndOpensLongParts) {
  const FoldBounds bounds{.max_unfolded = 10, .head = 3, .tail = 2, .max_shown = 1'000};
  const std::vector<ShownRanges> ranges = {{{0, 30}}};
  const auto shown = fold_parts(split_by_reader(34, ranges), bounds, std::nullopt);
  const std::vector<SeenPart> expected = {{0, 3, {0}}, {3, 28, {0}, true}, {28, 30, {0}}, {30, 34, {}}};
  EXPECT_EQ(shown, expected);
  const auto opened = fold_parts(split_by_reader(34, ranges), bounds, ShownRange{3, 12});
  const std::vector<SeenPart> wider = {{0, 3, {0}}, {3, 12, {0}}, {12, 28, {0}, true}, {28, 30, {0}}, {30, 34, {}}};
  EXPECT_EQ(opened, wider);
}

TEST(SeenText, FoldsTheRestOverTheLimit) {
  ShownRanges every_other;
  for (std::int64_t at = 0; at < 1'000; at += 4) every_other.push_back({at, at + 2});
  const FoldBounds bounds{.max_unfolded = 10, .head = 3, .tail = 2, .max_shown = 100};
  const std::vector<ShownRanges> ranges = {every_other};
  const auto shown = fold_parts(split_by_reader(1'000, ranges), bounds, std::nullopt);
  ASSERT_TRUE(shown.back().folded);
  EXPECT_TRUE(shown.back().mixed);
  EXPECT_EQ(shown.back().start, 100);
  EXPECT_EQ(shown.back().end, 1'000);
  EXPECT_EQ(std::ranges::count_if(shown, &SeenPart::folded), 1);
  // If a later range is opened, the text before it is folded.
  const auto later = fold_parts(split_by_reader(1'000, ranges), bounds, ShownRange{500, 1'000});
  ASSERT_TRUE(later.front().folded);
  EXPECT_LE(later.front().end, 500);
  EXPECT_TRUE(std::ranges::any_of(later, [](const SeenPart& part) { return !part.folded && part.start == 500; }));
}

}  // namespace
}  // namespace ladder::console

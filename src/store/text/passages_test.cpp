// Tests where passages are cut, with examples. words_random_test.cpp tests their properties over random text.
#include "store/text/passages.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

std::vector<Passage> cut(std::string_view text) {
  auto passages = cut_passages(text);
  EXPECT_TRUE(passages);
  return passages ? *std::move(passages) : std::vector<Passage>{};
}

// "w0000 w0001 …": distinct words of five letters and a space.
std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i) text += format("{}w{:04}", text.empty() ? "" : " ", i);
  return text;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Passages, TextWithoutWordsHasNone) {
  EXPECT_TRUE(cut("").empty());
  EXPECT_TRUE(cut(" ... \u0301").empty());
}

TEST(Passages, AShortTextIsOnePassage) {
  EXPECT_EQ(cut("  Foo, Bär! "), (std::vector<Passage>{{2, 10, "foo bar"}}));
  EXPECT_EQ(cut("x 東京 y"), (std::vector<Passage>{{0, 6, "x 東 \x01東京 京 y"}}));
}

TEST(Passages, AreCutAfterThreeThousandSixHundredCharactersWithOverlap) {
  // 600 words of six characters each start within the first 3600.
  EXPECT_EQ(cut(numbered(0, 600)), (std::vector<Passage>{{0, 3599, numbered(0, 600)}}));
  EXPECT_EQ(cut(numbered(0, 601)), (std::vector<Passage>{{0, 3605, numbered(0, 601)}, {3600, 3605, "w0600"}}));
  EXPECT_EQ(cut(numbered(0, 620)), (std::vector<Passage>{{0, 3695, numbered(0, 616)}, {3600, 3719, numbered(600, 620)}}));
  // Counted from the first word, not from the beginning of the text.
  EXPECT_EQ(cut("!" + numbered(0, 601)), (std::vector<Passage>{{1, 3606, numbered(0, 601)}, {3601, 3606, "w0600"}}));
  const auto many = cut(numbered(0, 3000));
  ASSERT_EQ(many.size(), 5u);
  EXPECT_EQ(many[4], (Passage{14400, 17999, numbered(2400, 3000)}));
}

TEST(Passages, AGapEndsThePassageWithoutOverlap) {
  const std::string gap256(256, ' '), gap257(257, ' ');
  EXPECT_EQ(cut("a" + gap256 + "b"), (std::vector<Passage>{{0, 258, "a b"}}));
  EXPECT_EQ(cut("a" + gap257 + "b"), (std::vector<Passage>{{0, 1, "a"}, {258, 259, "b"}}));
  EXPECT_EQ(cut(gap257 + "b"), (std::vector<Passage>{{257, 258, "b"}}));
  // A gap ends an overlap too.
  EXPECT_EQ(cut(numbered(0, 603) + gap257 + "end"),
            (std::vector<Passage>{{0, 3617, numbered(0, 603)}, {3600, 3617, numbered(600, 603)}, {3874, 3877, "end"}}));
}

TEST(Passages, EndAtTheLastAllowedRepeat) {
  // 239 owned occurrences and 16 more: all of PostgreSQL's 255 positions.
  EXPECT_EQ(cut(repeated("a ", 239)).size(), 1u);
  const auto passages = cut(repeated("a ", 300));
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[0], (Passage{0, 509, repeated("a ", 254) + "a"}));
  EXPECT_EQ(passages[1], (Passage{478, 599, repeated("a ", 60) + "a"}));
}

TEST(Passages, RepeatsAreCountedPerWord) {
  // 238 occurrences of each of four words: none repeats too often.
  EXPECT_EQ(cut(repeated("a b c d ", 238)).size(), 1u);
  const auto passages = cut(repeated("a b c d ", 239));
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[1].start, 8 * 238 + 2) << "after the 239th a";
}

TEST(Passages, CountRepeatsOfPairs) {
  // Neither 甲 nor 乙 alone: the pair never occurs more often than its first character, which is counted first.
  const auto passages = cut(repeated("甲乙", 300));
  ASSERT_EQ(passages.size(), 2u);
  EXPECT_EQ(passages[1].start, 2 * 238 + 1) << "after the 239th 甲";
  EXPECT_EQ(passages[0].end, 2 * 238 + 1 + 16);
  EXPECT_TRUE(passages[0].words.ends_with("乙 \x01乙甲 甲")) << "the pair of the last character would reach beyond the end";
}

TEST(Passages, SeveralMayBeOpenAtOnce) {
  // Words so far apart that the overlap of one passage reaches into the third.
  const std::string gap(256, ' ');
  std::string text;
  for (int i = 0; i < 40; ++i) text += format("{:03}", i) + std::string("\u0301\u0301\u0301") + repeated("\u0301", 900) + gap;
  const auto passages = cut(text);
  ASSERT_GT(passages.size(), 8u);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    EXPECT_EQ(passages[i].start, static_cast<std::int64_t>(i) * 4 * 1162);
    EXPECT_EQ(std::ranges::count(passages[i].words, ' ') + 1, std::min<std::int64_t>(20, 40 - static_cast<std::int64_t>(i) * 4));
  }
}

TEST(Passages, AreEmittedOnceTheOverlapIsKnown) {
  std::vector<Passage> emitted;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    emitted.push_back(std::move(passage));
    return {};
  });
  const std::string first = numbered(0, 616), second = " ";
  ASSERT_TRUE(cutter.feed(first));
  EXPECT_TRUE(emitted.empty()) << "the last word may go on";
  ASSERT_TRUE(cutter.feed(second));
  EXPECT_EQ(emitted, (std::vector<Passage>{{0, 3695, first}}));
  ASSERT_TRUE(cutter.finish());
  EXPECT_EQ(emitted.size(), 2u);
}

TEST(Passages, StopOnAnErrorOfTheCallback) {
  int calls = 0;
  PassageCutter cutter([&](Passage&&) -> Status {
    ++calls;
    return fail(Code::kStoreUnavailable, "full");
  });
  const auto status = cutter.feed(numbered(0, 3000));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace ladder::store

#include "text/near_copies.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::text {
namespace {

// The sketch of a text of `count` distinct words, with every `changed`-th word replaced (0: none).
NearSketch sketch_of(int count, int changed, std::string_view version = "b") {
  RankedText reading;
  std::string& text = reading.texts.emplace_back();
  for (int i = 0; i < count; ++i) text += format("word{}{} ", i, changed != 0 && i % changed == changed / 2 ? version : "a");
  reading.chars = static_cast<std::int64_t>(text.size());
  return near_sketch(reading, beginning_words(reading));
}

TEST(NearCopies, DetectsTextsWithFewChangedWords) {
  EXPECT_EQ(sketch_of(300, 0).size(), kSketchHashes);
  EXPECT_TRUE(nearly_same(sketch_of(300, 0), sketch_of(300, 0)));
  EXPECT_TRUE(nearly_same(sketch_of(300, 0), sketch_of(300, 150)));
  EXPECT_TRUE(nearly_same(sketch_of(300, 0), sketch_of(305, 0)));
  EXPECT_FALSE(nearly_same(sketch_of(300, 0), sketch_of(300, 8)));
  EXPECT_FALSE(nearly_same(sketch_of(300, 0), sketch_of(300, 2)));
}

TEST(NearCopies, ShortAndUnreadTextsHaveNoSketch) {
  EXPECT_TRUE(sketch_of(50, 0).empty());
  EXPECT_FALSE(nearly_same(sketch_of(50, 0), sketch_of(50, 0)));
  RankedText reading{.chars = 5'000, .texts = {"a text of which a part alone was read"}, .whole = false};
  EXPECT_TRUE(near_sketch(reading, beginning_words(reading)).empty());
  reading = {.chars = 5'000, .texts = {std::string(5'000, '-')}};
  EXPECT_TRUE(near_sketch(reading, beginning_words(reading)).empty()) << "no words";
  std::string same;
  for (int i = 0; i < 1'000; ++i) same += "same ";
  reading = {.chars = 5'000, .texts = {same}};
  EXPECT_TRUE(near_sketch(reading, beginning_words(reading)).empty()) << "one run";
}

}  // namespace
}  // namespace ladder::text

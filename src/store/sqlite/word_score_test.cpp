#include "store/sqlite/word_score.h"

#include <gtest/gtest.h>

namespace ladder::store::sqlite {
namespace {

WordTally tally_of(std::initializer_list<std::int32_t> occurrences, std::int32_t first) {
  WordTally tally(occurrences.size());
  std::size_t term = 0;
  for (const std::int32_t weight : occurrences) tally.add(term++, weight);
  tally.first = first;
  return tally;
}

TEST(WordScore, IsTheFormula) {
  EXPECT_EQ(word_score(tally_of({1}, 0), 1), 320 + 64);
  EXPECT_EQ(word_score(tally_of({2}, 0), 1), 480 + 64);
  EXPECT_EQ(word_score(tally_of({1}, 63), 1), 320 + 1);
  EXPECT_EQ(word_score(tally_of({1}, 64), 1), 320);
  EXPECT_EQ(word_score(tally_of({1}, 5'000), 1), 320);
  EXPECT_EQ(word_score(tally_of({1, 1}, 100), 2), 640) << "nowhere together";
  WordTally near = tally_of({1, 1}, 100);
  for (const auto& [distance, points] : {std::pair{1, 320}, {2, 160}, {16, 20}, {17, 0}}) {
    near.distances[0] = distance;
    EXPECT_EQ(word_score(near, 2), 640 + points) << distance;
  }
}

TEST(WordScore, GrowsWithOccurrencesAndIsSaturated) {
  std::int32_t last = 0;
  for (std::int32_t occurrences = 1; occurrences <= 40; ++occurrences) {
    const std::int32_t score = word_score(tally_of({occurrences}, 100), 1);
    EXPECT_GT(score, last) << occurrences;
    last = score;
  }
  EXPECT_LT(word_score(tally_of({1'000'000}, 100), 1), 960);
  EXPECT_EQ(word_score(tally_of({1'000'000}, 100), 1), word_score(tally_of({kMostOccurrences}, 100), 1));
}

TEST(WordScore, SeveralRowsAreLikeOne) {
  WordTally a = tally_of({1, 0}, 30);
  WordTally b = tally_of({2, 1}, 7);
  b.distances[0] = 3;
  WordTally whole(2);
  whole.merge(a, 2);
  whole.merge(b, 2);
  EXPECT_EQ(whole.occurrences[0], 3);
  EXPECT_EQ(whole.occurrences[1], 1);
  EXPECT_EQ(whole.distances[0], 3);
  EXPECT_EQ(whole.first, 7);
  WordTally other_order(2);
  other_order.merge(b, 2);
  other_order.merge(a, 2);
  EXPECT_EQ(word_score(whole, 2), word_score(other_order, 2));
}

TEST(WordScore, DistanceIsFromTheEndOfOneToTheBeginningOfTheOther) {
  EXPECT_EQ(word_distance(4, 1, 5, 1), 1);
  EXPECT_EQ(word_distance(5, 1, 4, 1), 1) << "in any order";
  EXPECT_EQ(word_distance(4, 3, 7, 1), 1) << "a phrase of three words";
  EXPECT_EQ(word_distance(9, 1, 4, 3), 3);
  EXPECT_EQ(word_distance(4, 3, 5, 1), 1) << "one inside the other";
  EXPECT_EQ(word_distance(4, 1, 4, 1), 1);
}

}  // namespace
}  // namespace ladder::store::sqlite

#include "store/text/word_rank.h"

#include <gtest/gtest.h>

#include <vector>

namespace ladder::store {
namespace {

WordQuery query_of(std::string_view text) { return *parse_word_query(text); }

WordAccumulator accumulator_of(std::vector<int> quarters) {
  WordAccumulator accumulator;
  for (std::size_t term = 0; term < quarters.size(); ++term) accumulator.add(term, quarters[term]);
  return accumulator;
}

TEST(WordRank, RarerTermsWeighMoreAndCommonOnesFindNoRecords) {
  const WordQuery query = query_of("meeting quokka budget");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 3, 40});
  EXPECT_LT(weights.terms[0], weights.terms[2]);
  EXPECT_LT(weights.terms[2], weights.terms[1]);
  EXPECT_EQ(weights.finders, 0b110u);
  EXPECT_TRUE(leaves_out_terms(query, weights));
  EXPECT_FALSE(is_hit(query, weights, accumulator_of({4, 0, 0})));
  EXPECT_TRUE(is_hit(query, weights, accumulator_of({0, 0, 4})));
}

TEST(WordRank, AllTermsFindRecordsIfAllAreCommon) {
  const WordQuery query = query_of("meeting budget");
  EXPECT_EQ(weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 800}).finders, 0b11u);
  EXPECT_EQ(weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 0}).finders, 0b11u) << "the other one is nowhere";
  EXPECT_EQ(weigh_terms(query, 10, std::vector<std::int64_t>{7, 1}).finders, 0b11u) << "of so few records none is most";
  EXPECT_EQ(weigh_terms(query, 1'000'000, std::vector<std::int64_t>{kCountedRecords, 1}).finders, 0b10u);
}

TEST(WordRank, AWordThatTheQuestionRepeatsWeighsMore) {
  const std::vector<std::int64_t> counts = {20, 20};
  const WordWeights once = weigh_terms(query_of("spare key"), 1'000, counts);
  const WordWeights twice = weigh_terms(query_of("spare key, the other key"), 1'000, std::vector<std::int64_t>{20, 20, 20});
  EXPECT_EQ(twice.terms[0], once.terms[0]);
  EXPECT_NEAR(twice.terms[1], 2 * once.terms[1], 1);
  std::string often = "spare";
  for (int i = 0; i < 100; ++i) often += " key";
  EXPECT_NEAR(weigh_terms(query_of(often), 1'000, counts).terms[1], 4 * once.terms[1], 2) << "a pasted text is bounded";
}

TEST(WordRank, AWordInEveryRecordWeighsAlmostNothing) {
  const WordQuery query = query_of("enron contract");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{1'000, 20});
  EXPECT_LT(20 * weights.terms[0], weights.terms[1]);
  EXPECT_GT(weights.terms[0], 0);
  const WordWeights unknown = weigh_terms(query, 0, std::vector<std::int64_t>{1'000, 20});
  EXPECT_GT(unknown.terms[0], weights.terms[0]) << "the number of records is not known";
}

TEST(WordRank, RequiredTermsDecide) {
  const WordQuery query = query_of("meeting +budget");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{3, 900});
  EXPECT_FALSE(is_hit(query, weights, accumulator_of({4, 0})));
  EXPECT_TRUE(is_hit(query, weights, accumulator_of({0, 4})));
  EXPECT_FALSE(leaves_out_terms(query, weights));
}

TEST(WordRank, MoreAndCloserTermsRankFirst) {
  const WordQuery query = query_of("spare key");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{20, 20});
  const auto score = [&](const WordAccumulator& accumulator) { return first_score(query, weights, accumulator); };
  WordAccumulator near = accumulator_of({4, 4}), far = accumulator_of({4, 4});
  near.bring_near(0, 1);
  far.bring_near(0, 9);
  EXPECT_GT(score(near), score(far));
  EXPECT_GT(score(far), score(accumulator_of({4, 4})));
  EXPECT_GT(score(accumulator_of({4, 4})), score(accumulator_of({20, 0}))) << "both words beat one of them five times";
  EXPECT_GT(score(accumulator_of({8, 0})), score(accumulator_of({4, 0})));
  EXPECT_GT(score(accumulator_of({4, 0})), score(accumulator_of({3, 0}))) << "another form of the word";
}

// The score of two terms, each of weight 2,000, in a text of `length` percent of the usual length.
std::int64_t measured(const std::vector<int>& quarters, std::int64_t length, std::int64_t added = 0) {
  const WordQuery query = query_of("spare key");
  WordWeights weights;
  weights.terms = {2'000, 2'000};
  weights.measured_above = 100;
  const WordAccumulator accumulator = accumulator_of(quarters);
  return measured_score(weights, first_score(query, weights, accumulator), accumulator.counts(), length, added);
}

TEST(WordRank, TermsCountLessInLongerTexts) {
  EXPECT_GT(measured({4, 0}, 50), measured({4, 0}, 100));
  EXPECT_GT(measured({4, 0}, 100), measured({4, 0}, 800));
  EXPECT_EQ(measured({4, 0}, 100), 100 + 2'000) << "a term that occurs once in a usual text counts its weight";
  EXPECT_EQ(measured({4, 0}, 300), 100 + 2'000 * (2'400 * 1'000 / (1'000 + 3'220)) / 1'000)
      << "2.4 n / (n + 1.4 (0.35 + 0.65 L))";
  EXPECT_GT(measured({4, 4}, 100), measured({20, 0}, 100));
  EXPECT_GT(measured({4, 0}, 100, 50), measured({4, 0}, 100, 49)) << "the feedback";
}

TEST(WordRank, FrequentTermsLoseLessInALongText) {
  const auto kept = [](int quarters) {  // percent of its score kept in a text five times as long as usual
    return 100 * (measured({quarters, 0}, 500) - 100) / (measured({quarters, 0}, 100) - 100);
  };
  EXPECT_LT(kept(4), 40);
  EXPECT_GT(kept(160), 85);
  EXPECT_GT(measured({160, 120}, 500), measured({4, 0}, 5)) << "a manual of both words beats a short note that has one of them";
}

TEST(WordRank, AdjacencyDoesNotDependOnTextLength) {
  const WordQuery query = query_of("spare key");
  WordWeights weights;
  weights.terms = {2'000, 2'000};
  WordAccumulator near = accumulator_of({4, 4}), far = near;
  near.bring_near(0, 1);
  const auto gained = [&](std::int64_t length) {
    return measured_score(weights, first_score(query, weights, near), near.counts(), length, 0) -
           measured_score(weights, first_score(query, weights, far), far.counts(), length, 0);
  };
  EXPECT_EQ(gained(100), 800);
  EXPECT_EQ(gained(1'000), 800);
}

TEST(WordRank, LengthCountsForTextsOfAnySize) {
  WordWeights weights;
  weights.usual_chars = 1'000;
  EXPECT_EQ(length_of(weights, 2'500), 250);
  EXPECT_LT(length_of(weights, 100'000), length_of(weights, 4'000'000'000));
  weights.measured_above = 100;
  EXPECT_GT(measured_score(weights, 1, {}, length_of(weights, 4'000'000'000), 0), 100) << "measured records come before others";
}

TEST(WordRank, IgnoresPositionsInOtherColumns) {
  const WordQuery query = query_of("spare key");
  WordScope scope;
  scope.columns = 0b011;
  TermPositions places(query);
  WordAccumulator accumulator;
  places.add(scope, 0, 2, 5, false, accumulator);
  EXPECT_FALSE(places.end(accumulator));
  places.add(scope, 0, 1, 5, false, accumulator);
  places.add(scope, 1, 1, 7, false, accumulator);
  places.add(scope, 1, 0, 6, false, accumulator);
  EXPECT_TRUE(places.end(accumulator));
  EXPECT_EQ(accumulator.distance(0), 2) << "within one column";
  scope.term_columns = {0b001, 0b010};
  WordAccumulator other;
  places.add(scope, 0, 1, 5, false, other);
  EXPECT_FALSE(places.end(other)) << "a term that names a field";
}

TEST(WordRank, ContextCountsOnceAndLessThanOwnText) {
  const WordQuery query = query_of("borrow checker");
  WordScope scope;
  scope.columns = 0b11;
  scope.context = 0b10;
  TermPositions places(query);
  WordAccumulator part, own;
  for (int i = 0; i < 9; ++i) places.add(scope, 0, 1, i, false, part);
  places.end(part);
  places.add(scope, 0, 0, 3, false, own);
  places.end(own);
  EXPECT_EQ(part.quarters(0), 1);
  EXPECT_LT(part.quarters(0), own.quarters(0));
}

}  // namespace
}  // namespace ladder::store

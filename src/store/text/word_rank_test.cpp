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

TEST(WordRank, RarerTermsWeighMoreAndCommonOnesFindNothing) {
  const WordQuery query = query_of("meeting quokka budget");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 3, 40});
  EXPECT_LT(weights.terms[0], weights.terms[2]);
  EXPECT_LT(weights.terms[2], weights.terms[1]);
  EXPECT_EQ(weights.finders, 0b110u);
  EXPECT_TRUE(leaves_out_terms(query, weights));
  EXPECT_FALSE(is_hit(query, weights, accumulator_of({4, 0, 0})));
  EXPECT_TRUE(is_hit(query, weights, accumulator_of({0, 0, 4})));
}

TEST(WordRank, WhereAllAreCommonAllFind) {
  const WordQuery query = query_of("meeting budget");
  EXPECT_EQ(weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 800}).finders, 0b11u);
  EXPECT_EQ(weigh_terms(query, 1'000, std::vector<std::int64_t>{700, 0}).finders, 0b11u) << "the other one is nowhere";
  EXPECT_EQ(weigh_terms(query, 10, std::vector<std::int64_t>{7, 1}).finders, 0b11u) << "of so few records none is most";
  EXPECT_EQ(weigh_terms(query, 1'000'000, std::vector<std::int64_t>{kCountedRecords, 1}).finders, 0b10u);
}

TEST(WordRank, WhatMustOccurDecides) {
  const WordQuery query = query_of("meeting +budget");
  const WordWeights weights = weigh_terms(query, 1'000, std::vector<std::int64_t>{3, 900});
  EXPECT_FALSE(is_hit(query, weights, accumulator_of({4, 0})));
  EXPECT_TRUE(is_hit(query, weights, accumulator_of({0, 4})));
  EXPECT_FALSE(leaves_out_terms(query, weights));
}

TEST(WordRank, MoreOfThemCloserTogetherComeFirst) {
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

TEST(WordRank, LongTextsShrink) {
  WordWeights weights;
  weights.measured_above = 100;
  weights.usual_chars = 1'000;
  EXPECT_GT(measured_score(weights, 2'000, 500), measured_score(weights, 2'000, 1'000));
  EXPECT_GT(measured_score(weights, 2'000, 1'000), measured_score(weights, 2'000, 8'000));
  EXPECT_GT(measured_score(weights, 1, 1'000'000'000), 100) << "what is measured stays before what is not";
  EXPECT_EQ(measured_score(weights, 2'000, 3'000), measured_score(weights, 2'000, 300'000)) << "a manual is as long as a letter";
  EXPECT_GT(measured_score(weights, 5'000, 300'000), measured_score(weights, 2'000, 10))
      << "a manual with all of the words beats a short note with one of them";
}

TEST(WordRank, PlacesOutsideTheColumnsThatCountAreNotSeen) {
  const WordQuery query = query_of("spare key");
  WordScope scope;
  scope.columns = 0b011;
  RowPlaces places(query);
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

TEST(WordRank, ContextCountsOnceAndLessThanTheRecordsOwnText) {
  const WordQuery query = query_of("borrow checker");
  WordScope scope;
  scope.columns = 0b11;
  scope.context = 0b10;
  RowPlaces places(query);
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

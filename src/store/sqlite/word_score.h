// How well a record matches: a number that its own words in the columns that count, and the query, decide alone (design D19).
//
//   score  =  for each term         960 · n / (n + 2)         n: how often it occurs, twice as often in strong columns; at most
//   255
//          +  for each two terms    320 / d                   d: words from one to the next, where they are closest; nothing over
//          16
//             that are neighbours in the query
//          +  64 - p                                          p: words before the first one of any term; nothing over 64
//
// Distances and places are those within a passage (store/passages.h), so it makes no difference whether a record's words are in
// one row of the index or in several, which other fields of the record decide, too.
#pragma once

#include "store/word_query.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ladder::store::sqlite {

inline constexpr std::int32_t kMostOccurrences = 255;
inline constexpr std::int32_t kFarthest = 16;  // words between two terms that still count as near
inline constexpr std::int32_t kNowhere = std::numeric_limits<std::int32_t>::max();

// What was seen of the required terms in one record.
struct WordTally {
  std::array<std::int32_t, kMaxWordTerms> occurrences{};  // of each term
  std::array<std::int32_t, kMaxWordTerms> distances;      // between it and the next one, at their closest
  std::int32_t first = kNowhere;                          // the place of the first one

  explicit WordTally(std::size_t terms) { std::fill_n(distances.begin(), terms, kNowhere); }

  void add(std::size_t term, std::int32_t weight) { occurrences[term] = std::min(occurrences[term] + weight, kMostOccurrences); }
  void merge(const WordTally& other, std::size_t terms);  // of other rows of the record
};

// The distance between two terms at these places of one passage; `words` are how many each one has.
std::int32_t word_distance(std::int32_t place_a, std::int32_t words_a, std::int32_t place_b, std::int32_t words_b);

std::int32_t word_score(const WordTally& tally, std::size_t terms);

}  // namespace ladder::store::sqlite

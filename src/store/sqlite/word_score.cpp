#include "store/sqlite/word_score.h"

namespace ladder::store::sqlite {
namespace {

constexpr std::int32_t kTermPoints = 960;
constexpr std::int32_t kHalfWay = 2;  // occurrences that give half of them
constexpr std::int32_t kNearPoints = 320;
constexpr std::int32_t kEarlyPoints = 64;

}  // namespace

void WordTally::merge(const WordTally& other, std::size_t terms) {
  for (std::size_t term = 0; term < terms; ++term) {
    add(term, other.occurrences[term]);
    distances[term] = std::min(distances[term], other.distances[term]);
  }
  first = std::min(first, other.first);
}

std::int32_t word_distance(std::int32_t place_a, std::int32_t words_a, std::int32_t place_b, std::int32_t words_b) {
  const std::int32_t gap = place_a <= place_b ? place_b - place_a - words_a : place_a - place_b - words_b;
  return std::max(gap + 1, 1);
}

std::int32_t word_score(const WordTally& tally, std::size_t terms) {
  std::int32_t score = std::max(kEarlyPoints - tally.first, 0);
  for (std::size_t term = 0; term < terms; ++term) {
    const std::int32_t occurrences = tally.occurrences[term];
    score += kTermPoints * occurrences / (occurrences + kHalfWay);
    if (term + 1 < terms && tally.distances[term] <= kFarthest) score += kNearPoints / tally.distances[term];
  }
  return score;
}

}  // namespace ladder::store::sqlite

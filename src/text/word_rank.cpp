#include "text/word_rank.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ladder::text {
namespace {

constexpr std::int64_t kOneTerm = 1'000;  // the weight of a single term

constexpr std::int64_t kNearTenths = 4;  // of the lesser weight, for adjacent terms

constexpr std::int64_t kSaturation = 1'400;  // BM25's k1, in thousandths
constexpr std::int64_t kLengthShare = 65;    // BM25's b, in percent
constexpr std::int64_t kQuarters = 4;        // of one occurrence

// A pasted text may repeat a word many times. More repetitions than this add nothing, and the weight fits in a cursor.
constexpr int kMaxTimes = 4;
constexpr std::int64_t kMaxWeight = 65'535;
constexpr double kCorrectedShare = 0.5;  // share of the weight for a corrected spelling
// A term in every record still ranks those first that contain it often.
constexpr std::int64_t kMinWeight = 50;

// A word in more than half of the records carries no information, if there are others and enough records.
constexpr std::int64_t kSomeRecords = 64;

std::uint32_t all_terms(const WordQuery& query) {
  return static_cast<std::uint32_t>((std::uint64_t{1} << query.terms.size()) - 1);
}

}  // namespace

void WordAccumulator::bring_near(std::size_t term, int distance) {
  if (distance == 0) return;
  std::uint8_t& known = distances_[term];
  if (known == 0 || distance < known) known = static_cast<std::uint8_t>(distance);
}

void WordAccumulator::merge(const WordAccumulator& other) {
  for (std::size_t term = 0; term < kMaxWordTerms; ++term) {
    add(term, other.occurrences_[term]);
    bring_near(term, other.distances_[term]);
  }
}

TermPositions::TermPositions(const WordQuery& query) : positions_(query.terms.size()) {
  for (const WordTerm& term : query.terms) lengths_.push_back(static_cast<std::int32_t>(term.words.size()));
}

bool TermPositions::end(WordAccumulator& accumulator) {
  const bool any = std::exchange(any_, false);
  if (!any || positions_.size() == 1) return any;
  for (auto& positions : positions_) {
    if (!std::ranges::is_sorted(positions)) std::ranges::sort(positions);
  }
  for (std::size_t term = 0; term + 1 < positions_.size(); ++term) accumulator.bring_near(term, closest(term));
  for (auto& positions : positions_) positions.clear();
  return true;
}

// Both lists are sorted, so advancing the lesser of two positions is the only way to get closer.
int TermPositions::closest(std::size_t term) const {
  std::int32_t least = kFarthestWords + 1;
  auto a = positions_[term].begin();
  auto b = positions_[term + 1].begin();
  while (a != positions_[term].end() && b != positions_[term + 1].end()) {
    if (a->column == b->column) {
      const std::int32_t gap = a->position <= b->position ? b->position - a->position - lengths_[term]
                                                          : a->position - b->position - lengths_[term + 1];
      least = std::min(least, std::max(gap + 1, 1));
    }
    *a < *b ? ++a : ++b;
  }
  return least > kFarthestWords ? 0 : least;
}

WordWeights weigh_terms(const WordQuery& query, std::int64_t records, std::span<const std::int64_t> counted) {
  WordWeights weights;
  bool rare_found = false;
  const std::int64_t most = std::ranges::max(counted);
  // Without the number of records, the most frequent term is assumed to be in half of them.
  const auto all = static_cast<double>(records >= most ? records : 2 * most);
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    const auto with = static_cast<double>(counted[term]);
    const double rarity = std::log(1 + (all - with + 0.5) / (with + 0.5));
    const double certain = query.terms[term].corrected ? kCorrectedShare : 1;
    const std::int64_t weight = std::lround(1'000 * rarity * certain * std::min(query.terms[term].times, kMaxTimes));
    weights.terms.push_back(
        static_cast<std::int32_t>(query.terms.size() == 1 ? kOneTerm : std::clamp(weight, kMinWeight, kMaxWeight)));
    const bool common = counted[term] >= kCountedRecords || (records >= kSomeRecords && 2 * counted[term] > records);
    if (common) continue;
    weights.finders |= std::uint32_t{1} << term;
    rare_found = rare_found || counted[term] > 0;
  }
  if (!rare_found) weights.finders = all_terms(query);
  return weights;
}

bool leaves_out_terms(const WordQuery& query, const WordWeights& weights) {
  return std::ranges::none_of(query.terms, &WordTerm::must) && weights.finders != all_terms(query);
}

bool is_hit(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator) {
  bool found = false, must = false;
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    must = must || query.terms[term].must;
    if (query.terms[term].must && !accumulator.has(term)) return false;
    found = found || ((weights.finders >> term & 1) != 0 && accumulator.has(term));
  }
  return must || found;
}

bool has_all(const WordQuery& query, const WordAccumulator& accumulator) {
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    if (!accumulator.has(term)) return false;
  }
  return true;
}

std::int32_t first_score(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator) {
  std::int64_t score = 0;
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    if (!accumulator.has(term)) continue;
    score += weights.terms[term] * saturated(accumulator.quarters(term)) / 1'000;
    if (accumulator.distance(term) == 0 || term + 1 == query.terms.size()) continue;
    const std::int64_t lesser = std::min(weights.terms[term], weights.terms[term + 1]);
    score += lesser * kNearTenths / (std::int64_t{10} * accumulator.distance(term));
  }
  return static_cast<std::int32_t>(std::max<std::int64_t>(score, 1));
}

std::int64_t saturated(int quarters, std::int64_t length) {
  const std::int64_t half = kQuarters * kSaturation * (kUsualLength * (100 - kLengthShare) + kLengthShare * length) / 10'000;
  const std::int64_t counted = std::int64_t{1'000} * quarters;
  return counted * (1'000 + kSaturation) / (counted + half);
}

bool comes_before(WordOrder order, const HitSortKey& a, const HitSortKey& b) {
  if (order == WordOrder::kScore && a.score != b.score) return a.score > b.score;
  if (a.time != b.time) {
    if (!a.time || !b.time) return a.time.has_value();
    return order == WordOrder::kOldest ? *a.time < *b.time : *a.time > *b.time;
  }
  if (a.key != b.key) return a.key < b.key;
  return a.scope < b.scope;
}

std::int64_t length_of(const WordWeights& weights, std::int64_t chars) {
  const std::int64_t usual = std::max<std::int64_t>(weights.usual_chars, 1);
  return chars * kUsualLength / usual;
}

// The first score includes the bonus for adjacent terms, which does not depend on text length: it is the rest after the
// terms.
std::int64_t measured_score(const WordWeights& weights, std::int64_t first, const TermCounts& counts, std::int64_t length,
                            std::int64_t added, std::int64_t percent) {
  std::int64_t score = first + added;
  for (std::size_t term = 0; term < weights.terms.size(); ++term) {
    if (counts[term] == 0) continue;
    score += weights.terms[term] * saturated(counts[term], length) / 1'000;
    score -= weights.terms[term] * saturated(counts[term]) / 1'000;
  }
  return std::max<std::int64_t>(weights.measured_above, 0) + std::max<std::int64_t>(score * percent / 100, 1);
}

}  // namespace ladder::text

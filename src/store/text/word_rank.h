// How a search ranks, alike on both engines: what of a record's words counts, the weights of the query's terms, and the score
// (docs/search.md has the formula and its reasons).
//
// The first score of a record is decided by its own words in the columns that count, and by the weights:
//
//   S  =  for each term             w · 2.4 n / (n + 1.4)      n: how often it occurs; three times as often in strong columns,
//                                                              three quarters for another form of the word
//      +  for each two terms that   0.4 · min(w, w') / d       d: words from one to the next, where they are closest;
//         are neighbours in the query                          nothing over 16
//
// A weight tells how rare a term is among the records that may be seen, times how often the query has it. The best
// kMeasuredRecords by S are then read (word_head.h) and scored like BM25. In a text of L times their median length a term counts
//
//                                   w · 2.4 n / (n + K)        K = 1.4 (0.35 + 0.65 L)
//
// and words that the best of them share add to that. All others follow, by S.
//
// Distances and places are those within a passage (store/text/passages.h), so it makes no difference whether a record's words are
// in one row of the index or in several, which other fields of the record decide, too.
#pragma once

#include "store/text/word_query.h"
#include "store/word_search.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store {

inline constexpr std::int64_t kCountedRecords = 4'096;  // of one term, for its weight; with more it is as common as any
inline constexpr std::size_t kMeasuredRecords = 256;
inline constexpr std::size_t kMaxPassedOver = 256;  // hits of groups that were shown, by one search
inline constexpr std::int32_t kFarthestWords = 16;  // between two terms that still count as near

// The columns of the scope where the term counts; `term` goes on with the excluded ones behind the others.
inline WordColumns term_columns(const WordScope& scope, std::size_t term) {
  return scope.term_columns.empty() ? scope.columns : scope.term_columns[term];
}

// How often each term occurs in one record, in quarters.
using TermCounts = std::array<std::uint8_t, kMaxWordTerms>;

// Occurrences of the query's terms in one record.
class WordAccumulator {
 public:
  void add(std::size_t term, int quarters) {  // an occurrence
    occurrences_[term] = static_cast<std::uint8_t>(std::min(occurrences_[term] + quarters, kMaxQuarters));
  }
  void bring_near(std::size_t term, int distance);  // between it and the next one
  void merge(const WordAccumulator& other);         // of other rows of the record
  bool has(std::size_t term) const { return occurrences_[term] > 0; }
  int quarters(std::size_t term) const { return occurrences_[term]; }
  const TermCounts& counts() const { return occurrences_; }
  int distance(std::size_t term) const { return distances_[term]; }  // 0: far

 private:
  static constexpr int kMaxQuarters = 255;

  TermCounts occurrences_{};
  std::array<std::uint8_t, kMaxWordTerms> distances_{};
};

// Gathers the places of terms in one row of the index, in any order of terms.
class RowPlaces {
 public:
  explicit RowPlaces(const WordQuery& query);

  // One place; where it does not count nothing happens.
  void add(const WordScope& scope, std::size_t term, int column, std::int32_t place, bool form, WordAccumulator& accumulator) {
    if (!counts(term_columns(scope, term), column)) return;
    any_ = true;
    if (counts(scope.context, column)) {
      if (!accumulator.has(term)) accumulator.add(term, kContextQuarters);  // once, however often
    } else {
      accumulator.add(term, (form ? kFormQuarters : kExactQuarters) * (counts(scope.strong, column) ? kStrongTimes : 1));
    }
    if (places_.size() > 1 && places_[term].size() < kMaxPlaces) places_[term].push_back({column, place});
  }
  // The row has come to its end: true when anything counted.
  bool end(WordAccumulator& accumulator);

 private:
  struct Place {
    int column;
    std::int32_t place;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  static bool counts(WordColumns columns, int column) { return columns >> column & 1; }
  int closest(std::size_t term) const;  // it and the next one; 0: far

  static constexpr int kExactQuarters = 4, kFormQuarters = 3, kStrongTimes = 3, kContextQuarters = 1;
  static constexpr std::size_t kMaxPlaces = 128;  // of a term in a row, that distances are looked for among
  std::vector<std::int32_t> lengths_;
  std::vector<std::vector<Place>> places_;
  bool any_ = false;
};

// Some records of the scope may not be seen, so that how many it has tells nothing.
bool is_restricted(const WordScope& scope);

// `records`: of the scopes that are seen whole. `counts`: of each term, granted records that have it, up to kCountedRecords.
WordWeights weigh_terms(const WordQuery& query, std::int64_t records, std::span<const std::int64_t> counts);

// Records may have terms and yet be no candidates, since they have common ones only.
bool leaves_out_terms(const WordQuery& query, const WordWeights& weights);

// Says whether a record with these words is a hit; `excluded` ones are for the caller to know.
bool is_hit(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator);
bool has_all(const WordQuery& query, const WordAccumulator& accumulator);

std::int32_t first_score(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator);

// How much of its weight a word adds that occurs so often, in thousandths: 2.4 n / (n + K), n in quarters. `length`: of the text,
// in percent of the usual one.
inline constexpr std::int64_t kUsualLength = 100;
std::int64_t saturated(int quarters, std::int64_t length = kUsualLength);

// The order of word_search.h.
bool comes_before(WordOrder order, const WordPlace& a, const WordPlace& b);

// The length of a text of so many characters in percent of the usual one.
std::int64_t length_of(const WordWeights& weights, std::int64_t chars);

// The score of a measured record, from its first score and the term counts that made it, its length, and what the feedback adds.
// `percent`: how much of that counts.
std::int64_t measured_score(const WordWeights& weights, std::int64_t first, const TermCounts& counts, std::int64_t length,
                            std::int64_t added, std::int64_t percent = 100);

}  // namespace ladder::store

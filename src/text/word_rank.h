// Ranking, the same on both engines: which words of a record count, the weights of the query's terms, and the score.
// docs/inside/ranking.md has the formula and its reasons.
//
// The first score of a record depends on its own words in the searched columns and on the weights:
//
//   S  =  for each term             w · 2.4 n / (n + 1.4)      n: occurrences; three times as many in strong columns,
//                                                              three quarters for another form of the word
//      +  for each two terms that   0.4 · min(w, w') / d       d: words from one to the next, where they are closest;
//         are adjacent in the query                            nothing over 16
//
// The weight of a term is its rarity among the visible records, times its occurrences in the query. The best
// kMeasuredRecords by S are then read (top_hits.h) and scored like BM25. In a text of L times their median length a
// term counts
//
//                                   w · 2.4 n / (n + K)        K = 1.4 (0.35 + 0.65 L)
//
// and words shared by the best of them are added. All other records follow, by S.
//
// Distances and positions are those within a passage (text/passages.h), so the score does not depend on whether a
// record's words are in one row of the index or in several, which also depends on the record's other fields.
#pragma once

#include "base/time/time.h"
#include "text/word_query.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::text {

inline constexpr std::int64_t kCountedRecords = 4'096;  // for the weight of a term; a term with more is equally common
inline constexpr std::size_t kMeasuredRecords = 256;
inline constexpr std::size_t kMaxSkippedHits = 256;  // folded hits skipped by one search
inline constexpr std::int32_t kFarthestWords = 16;   // maximum distance of two terms that count as near

using WordColumns = std::uint32_t;          // a bit per column
inline constexpr int kMaxWordColumns = 32;  // searched fields of a stream

// How much a term counts in each column of the word index.
struct ColumnWeights {
  WordColumns columns = 0;  // a term counts only in these; not 0
  WordColumns strong = 0;   // the ones with a higher weight: titles
  WordColumns context = 0;  // the ones with a lower weight: text shared by many records, such as a conversation title
  // The columns where each term counts, first for WordQuery::terms, then for the excluded ones; empty: `columns` for all.
  std::vector<WordColumns> term_columns = {};

  WordColumns of_term(std::size_t term) const { return term_columns.empty() ? columns : term_columns[term]; }
};

// A position in the order of hits.
struct HitSortKey {
  std::int64_t score = 0;
  std::optional<Instant> time;
  std::string key;
  std::size_t scope = 0;
};

enum class WordOrder : std::uint8_t { kScore, kNewest, kOldest };

// A word shared by the best hits; it raises or lowers other records that have it (top_hits.h).
struct FeedbackWord {
  std::uint32_t hash = 0;   // of the indexed word
  std::int32_t weight = 0;  // in thousandths

  friend bool operator==(const FeedbackWord&, const FeedbackWord&) = default;
};

// The statistics used for ranking the first page; later pages use the same.
struct WordWeights {
  std::vector<std::int32_t> terms;  // in thousandths
  std::uint32_t finders = 0;        // a bit per term: the terms that make a record a candidate if no term is required
  std::int64_t measured_above = 0;  // first scores above this are measured (word_rank.h); see kNothingMeasured
  std::int64_t usual_chars = 0;     // typical length of a record's text
  std::vector<FeedbackWord> feedback = {};

  friend bool operator==(const WordWeights&, const WordWeights&) = default;
};
inline constexpr std::int64_t kNothingMeasured = std::numeric_limits<std::int64_t>::max();

// The part of a record that ranking reads: its text in the searched columns.
struct RankedText {
  std::int64_t chars = 0;                // total length
  std::vector<std::string> texts;        // without context columns
  bool whole = true;                     // false: there are also longer texts, which are not read
  std::vector<std::string> groups = {};  // the groups of the record, by each of their names
  std::uint64_t wording = 0;             // of a part or a copy: equal for equal texts; 0: neither
  bool bulk = false;                     // sent to many people at once, so it counts less
};

// Occurrences of each term in one record, in quarters.
using TermCounts = std::array<std::uint8_t, kMaxWordTerms>;

// Collects occurrences of the query's terms in one record.
class WordAccumulator {
 public:
  void add(std::size_t term, int quarters) {  // one occurrence
    occurrences_[term] = static_cast<std::uint8_t>(std::min(occurrences_[term] + quarters, kMaxQuarters));
  }
  void bring_near(std::size_t term, int distance);  // between the term and the next one
  void merge(const WordAccumulator& other);         // from other rows of the record
  bool has(std::size_t term) const { return occurrences_[term] > 0; }
  int quarters(std::size_t term) const { return occurrences_[term]; }
  const TermCounts& counts() const { return occurrences_; }
  int distance(std::size_t term) const { return distances_[term]; }  // 0: far

 private:
  static constexpr int kMaxQuarters = 255;

  TermCounts occurrences_{};
  std::array<std::uint8_t, kMaxWordTerms> distances_{};
};

// Collects the positions of terms in one row of the index, in any order of terms.
class TermPositions {
 public:
  explicit TermPositions(const WordQuery& query);

  // Adds one position; ignored if its column does not count.
  void add(const ColumnWeights& scope, std::size_t term, int column, std::int32_t position, bool form,
           WordAccumulator& accumulator) {
    if (!counts(scope.of_term(term), column)) return;
    any_ = true;
    if (counts(scope.context, column)) {
      if (!accumulator.has(term)) accumulator.add(term, kContextQuarters);  // once, however often it occurs
    } else {
      accumulator.add(term, (form ? kFormQuarters : kExactQuarters) * (counts(scope.strong, column) ? kStrongTimes : 1));
    }
    if (positions_.size() > 1 && positions_[term].size() < kMaxPositions) positions_[term].push_back({column, position});
  }
  // Ends the row; returns true if anything counted.
  bool end(WordAccumulator& accumulator);

 private:
  struct Position {
    int column;
    std::int32_t position;
    friend auto operator<=>(const Position&, const Position&) = default;
  };
  static bool counts(WordColumns columns, int column) { return columns >> column & 1; }
  int closest(std::size_t term) const;  // distance to the next term; 0: far

  static constexpr int kExactQuarters = 4, kFormQuarters = 3, kStrongTimes = 3, kContextQuarters = 1;
  static constexpr std::size_t kMaxPositions = 128;  // per term and row, for distances
  std::vector<std::int32_t> lengths_;
  std::vector<std::vector<Position>> positions_;
  bool any_ = false;
};

// `records`: the number in fully visible scopes. `counts`: granted records with each term, up to kCountedRecords.
WordWeights weigh_terms(const WordQuery& query, std::int64_t records, std::span<const std::int64_t> counts);

// Returns whether some terms are too common to make a record a candidate.
bool leaves_out_terms(const WordQuery& query, const WordWeights& weights);

// Returns whether a record with these words is a hit; the caller checks excluded terms.
bool is_hit(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator);
bool has_all(const WordQuery& query, const WordAccumulator& accumulator);

std::int32_t first_score(const WordQuery& query, const WordWeights& weights, const WordAccumulator& accumulator);

// The share of its weight that a word adds, in thousandths: 2.4 n / (n + K), n in quarters. `length`: of the text, in
// percent of the usual one.
inline constexpr std::int64_t kUsualLength = 100;
std::int64_t saturated(int quarters, std::int64_t length = kUsualLength);

// The order defined in word_search.h.
bool comes_before(WordOrder order, const HitSortKey& a, const HitSortKey& b);

// The length of a text in percent of the usual one.
std::int64_t length_of(const WordWeights& weights, std::int64_t chars);

// The score of a measured record, from its first score and the term counts for it, its length, and the feedback in
// `added`. `percent`: the share of the score that counts.
std::int64_t measured_score(const WordWeights& weights, std::int64_t first, const TermCounts& counts, std::int64_t length,
                            std::int64_t added, std::int64_t percent = 100);

}  // namespace ladder::text

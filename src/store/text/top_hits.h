// The head of a search: its first records by first score (word_rank.h), or in the requested order, up to
// kMeasuredRecords. The head is read and ranked again. This takes no second search: the statistics of the head are used
// within it, and only the query decides which records are hits.
//
//   feedback   Words that at least two of the ten best records share, and few others of the head have. The best twenty count
//              like words of the query; together they weigh less than half of the query.
//   length     A term counts less in records that are longer than the median of the head.
//   bulk       A record that its source declares to be bulk mail counts 70 percent.
//   groups     The records of one group (a conversation, a thread) are represented by the one with most of the query, in the
//              position of the best of them. A second one follows if it has words of the query that the first lacks.
//   copies     The first of several records with the same text, or with nearly the same long text, represents the others.
//
// Words are identified by hashes, which fit in a cursor. All arithmetic uses integers and does not depend on the order
// in which records are added, so both engines compute the same result.
#pragma once

#include "store/text/near_copies.h"
#include "store/text/word_rank.h"
#include "store/word_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kFeedbackRecords = 10, kFeedbackWords = 20;

// The properties of a record's text that ranking and folding need.
struct TopHitText {
  std::int64_t chars = 0;
  bool whole = true;
  bool has_words = false;            // not needed to search for a single term
  std::vector<std::uint32_t> words;  // of the beginning, in text order
  std::vector<std::string> groups;
  std::uint64_t wording = 0;
  NearSketch sketch;  // only if copies are folded
  bool bulk = false;
};

// Ranks and folds the head of a search.
class TopHits {
 public:
  explicit TopHits(const WordSearch& search) : search_(search) {}

  // Adds a record with its first score, and the counts for it if the head is to be ranked.
  void add(HitSortKey sort_key, const RecordRow& record, const TermCounts& counts = {});
  // The same with a text that was read before.
  void add(HitSortKey sort_key, std::shared_ptr<const TopHitText> text, const TermCounts& counts = {});
  TopHitText read(std::size_t scope, const RecordRow& record) const;
  bool needs_words() const;
  // Computes the scores. `learn`: this is the first page; stores in `weights` what the other pages need.
  void rank(WordWeights& weights, bool learn);
  void fold();
  // Returns whether the head has no other record of the same group or wording; for records after the head. True unless
  // folded.
  bool passes(std::size_t scope, const RecordRow& record) const;

  // Results, in the order of add().
  std::size_t size() const { return records_.size(); }
  std::int64_t score(std::size_t record) const { return records_[record].sort_key.score; }
  bool is_shown(std::size_t record) const { return records_[record].shown; }
  std::int64_t more(std::size_t record) const { return records_[record].more; }    // of its group; or kIsSecond
  std::int64_t alike(std::size_t record) const { return records_[record].alike; }  // with (nearly) the same wording

 private:
  struct Read {
    HitSortKey sort_key;
    std::int64_t first = 0;  // score
    TermCounts counts = {};
    std::shared_ptr<const TopHitText> text;
    bool shown = true;
    bool is_second = false;  // the second record shown of its group
    std::size_t group = 0;   // the first record added to its group
    std::int64_t more = 0, alike = 0;
  };

  std::vector<std::size_t> order() const;
  void unite_groups();
  void choose_from_groups(const WordWeights& weights);
  void choose_from_group(const WordWeights& weights, std::span<const std::size_t> members);
  std::int64_t usual_length() const;
  void measure(const WordWeights& weights);
  std::vector<const Read*> best() const;
  std::vector<FeedbackWord> learn_words() const;
  void add_feedback(const WordWeights& weights);

  const WordSearch& search_;
  std::vector<Read> records_;
  std::vector<std::int64_t> added_;                          // to the first scores, from feedback
  std::unordered_map<std::string, std::size_t> groups_;      // one record of each group
  std::unordered_map<std::uint64_t, std::size_t> wordings_;  // the record that represents each wording
};

// Returns whether records of the search are folded.
bool folds(const WordSearch& search);

// The first score above which candidates are measured, so that at most kMeasuredRecords are; -1 for all of them.
// Returns kNothingMeasured if more candidates than that share the best score. Changes the order of the candidates.
template <class Candidates>
std::int64_t measured_above(Candidates& candidates) {
  if (candidates.size() <= kMeasuredRecords) return -1;
  const auto score = [](const auto& candidate) { return candidate.score; };
  const auto next = candidates.begin() + static_cast<std::ptrdiff_t>(kMeasuredRecords);
  std::ranges::nth_element(candidates, next, std::greater<>{}, score);
  const auto is_better = [&](const auto& candidate) { return score(candidate) > score(*next); };
  return std::any_of(candidates.begin(), next, is_better) ? score(*next) : kNothingMeasured;
}

// The hash of a word as stored in the index.
std::uint32_t word_hash(std::string_view word);

// Hashes of the words at the beginning of a record's text, in text order.
std::vector<std::uint32_t> beginning_words(const RankedText& reading);

}  // namespace ladder::store

// The head of a search: its first records by their first score (word_rank.h), or by the order that is asked for, up to
// kMeasuredRecords, which are read. That takes no second search: what is learnt from the head is used within it, and only what
// was asked for makes a record a hit.
//
//   feedback   Of the words that at least two of the ten best records have, those count the most that few others of the head
//   have:
//              twenty of them are sought like words of the query, and all together weigh less than half of what was asked for.
//   length     A term counts the less, the longer the record's text is beside what is usual in the head.
//   bulk       A record that its source declares to be bulk mail counts 70 percent.
//   groups     The records that are parts of one thing (a conversation, a thread) are shown by the one that has the most of the
//              query, in the place of the best of them. A second one follows it if it has words of the query that the first
//              lacks.
//   copies     The first of the records that have the same text, or a long one that is nearly the same, is shown for the others.
//
// Words are known by their hashes, so that a cursor can carry them. Everything is integers and independent of the order in which
// records are added, so that both engines come to the same.
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

// Facts of a record's text that a head is ranked and folded by.
struct HeadText {
  std::int64_t chars = 0;
  bool whole = true;
  bool has_words = false;            // a search for one term needs none
  std::vector<std::uint32_t> words;  // as they come, those of the beginning
  std::vector<std::string> groups;
  std::uint64_t wording = 0;
  NearSketch sketch;  // where copies are folded
  bool bulk = false;
};

class WordHead {
 public:
  explicit WordHead(const WordSearch& search) : search_(search) {}

  // With its first score, and the counts that made it where the head is to be ranked.
  void add(WordPlace place, const RecordRow& record, const TermCounts& counts = {});
  // The same with a text that was read before.
  void add(WordPlace place, std::shared_ptr<const HeadText> text, const TermCounts& counts = {});
  HeadText read(std::size_t scope, const RecordRow& record) const;
  bool needs_words() const;
  // Gives each its score. `learn`: this is the first page, and `weights` get what the others need.
  void rank(WordWeights& weights, bool learn);
  void fold();
  // Decides for a record after the head whether the head has no other of its group or wording. True unless it was folded.
  bool passes(std::size_t scope, const RecordRow& record) const;

  // In the order in which they were added.
  std::size_t size() const { return records_.size(); }
  std::int64_t score(std::size_t record) const { return records_[record].place.score; }
  bool is_shown(std::size_t record) const { return records_[record].shown; }
  std::int64_t more(std::size_t record) const { return records_[record].more; }    // of its group; kIsSecond
  std::int64_t alike(std::size_t record) const { return records_[record].alike; }  // of its wording, or nearly of it

 private:
  struct Read {
    WordPlace place;
    std::int64_t first = 0;  // score
    TermCounts counts = {};
    std::shared_ptr<const HeadText> text;
    bool shown = true;
    bool is_second = false;  // of its group
    std::size_t group = 0;   // the record that was added first of all in its group
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
  std::vector<std::int64_t> added_;                          // to the first scores, by the feedback
  std::unordered_map<std::string, std::size_t> groups_;      // a record of each
  std::unordered_map<std::uint64_t, std::size_t> wordings_;  // the record that stands for each
};

// Says whether records of the search are folded.
bool folds(const WordSearch& search);

// The first score over which candidates are measured, so that at most kMeasuredRecords are; -1 for all of them. Where more than
// that share the best score no text can be preferred to another: kNothingMeasured. Changes the order of the candidates.
template <class Candidates>
std::int64_t measured_above(Candidates& candidates) {
  if (candidates.size() <= kMeasuredRecords) return -1;
  const auto score = [](const auto& candidate) { return candidate.score; };
  const auto next = candidates.begin() + static_cast<std::ptrdiff_t>(kMeasuredRecords);
  std::ranges::nth_element(candidates, next, std::greater<>{}, score);
  const auto is_better = [&](const auto& candidate) { return score(candidate) > score(*next); };
  return std::any_of(candidates.begin(), next, is_better) ? score(*next) : kNothingMeasured;
}

// Of a word as it stands in the index.
std::uint32_t word_hash(std::string_view word);

// Hashes of the words at the beginning of a record's text, as they come.
std::vector<std::uint32_t> beginning_words(const WordReading& reading);

}  // namespace ladder::store

// Counts the candidates of a search and keeps those that can be on the page: the best ones after the place where it begins. Keys
// and times, which tell equals apart, are looked up for these alone; but where the order is by time, for all.
#pragma once

#include "store/sqlite/word_hits.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace ladder::store::sqlite {

class WordRanking {
 public:
  // `weights` may be completed later, but for measured_above: kNothingMeasured, or a threshold, or with `choose` one that is
  // found here among all candidates.
  WordRanking(const WordSearch& search, std::int64_t measured_above, bool choose);

  void add(const WordCandidate& candidate);
  std::int64_t matches() const { return matches_; }
  std::int64_t matches_all() const { return matches_all_; }

  // After the last candidate: divides what was kept.
  void finish();
  std::int64_t measured_above() const { return measured_above_; }
  // Those whose first score is over the threshold; none where the page begins behind them.
  const std::vector<WordCandidate>& measured() const { return measured_; }
  // As good as the place itself: only key and time tell which of them come after it. All there are.
  const std::vector<WordCandidate>& beside() const { return beside_; }
  // The best of the rest: one more than the page takes, and those as good as the last of them.
  const std::vector<WordCandidate>& behind() const { return behind_; }

 private:
  void keep(const WordCandidate& candidate);
  void prune();

  const bool by_score_, choose_;
  std::int64_t measured_above_;
  const WordPlace* after_;  // null: from the best on
  bool past_measured_ = false;
  const std::size_t wanted_;
  std::int64_t matches_ = 0, matches_all_ = 0;
  std::vector<WordCandidate> measured_, beside_, behind_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> best_;  // scores of the best so many
  std::size_t prune_at_ = 1024;
};

// The order of word_search.h.
bool comes_before(WordOrder order, const WordPlace& a, const WordPlace& b);

}  // namespace ladder::store::sqlite

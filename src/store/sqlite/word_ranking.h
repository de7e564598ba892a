// Counts the candidates of a search and keeps those that can be on the page: the best ones after the place where it begins. Keys
// and times, which tell equals apart, are looked up for these alone.
#pragma once

#include "store/sqlite/word_hits.h"

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace ladder::store::sqlite {

class WordRanking {
 public:
  explicit WordRanking(const WordSearch& search)
      : after_(search.after ? &*search.after : nullptr), wanted_(static_cast<std::size_t>(search.limit) + 1) {}

  void add(const WordCandidate& candidate);
  std::int64_t matches() const { return matches_; }

  // As good as the place itself: only key and time tell which of them come after it. All there are.
  const std::vector<WordCandidate>& beside() const { return beside_; }
  // The best of the rest: one more than the page takes, and those as good as the last of them.
  const std::vector<WordCandidate>& behind();

 private:
  void prune();

  const WordPlace* after_;
  const std::size_t wanted_;
  std::int64_t matches_ = 0;
  std::vector<WordCandidate> beside_, behind_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> best_;  // scores of the best so many
  std::size_t prune_at_ = 1024;
};

// The order of word_search.h.
bool comes_before(const WordPlace& a, const WordPlace& b);

}  // namespace ladder::store::sqlite

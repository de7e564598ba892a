#include "store/sqlite/word_ranking.h"

#include <algorithm>

namespace ladder::store::sqlite {

void WordRanking::add(const WordCandidate& candidate) {
  ++matches_;
  if (after_ && candidate.score > after_->score) return;
  if (after_ && candidate.score == after_->score) {
    beside_.push_back(candidate);
    return;
  }
  if (best_.size() == wanted_) {
    if (candidate.score < best_.top()) return;
    if (candidate.score > best_.top()) best_.pop();
  }
  if (best_.size() < wanted_) best_.push(candidate.score);
  behind_.push_back(candidate);
  if (behind_.size() >= prune_at_) prune();
}

void WordRanking::prune() {
  if (best_.size() == wanted_) std::erase_if(behind_, [&](const WordCandidate& kept) { return kept.score < best_.top(); });
  prune_at_ = std::max<std::size_t>(behind_.size() * 2, 1024);
}

const std::vector<WordCandidate>& WordRanking::behind() {
  prune();
  return behind_;
}

bool comes_before(const WordPlace& a, const WordPlace& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.time != b.time) return a.time && (!b.time || *a.time > *b.time);
  if (a.key != b.key) return a.key < b.key;
  return a.scope < b.scope;
}

}  // namespace ladder::store::sqlite

#include "store/sqlite/word_ranking.h"

#include <algorithm>

namespace ladder::store::sqlite {

WordRanking::WordRanking(const WordSearch& search, std::int64_t measured_above, bool choose)
    : by_score_(search.order == WordOrder::kScore),
      choose_(choose),
      measured_above_(measured_above),
      after_(search.after ? &*search.after : nullptr),
      wanted_(static_cast<std::size_t>(search.limit) + 1 + (choose ? kMeasuredRecords + 1 : 0)) {
  if (!after_ || choose_ || measured_above_ == kNothingMeasured) return;
  past_measured_ = after_->score <= measured_above_;
  if (!past_measured_) after_ = nullptr;  // of the rest, none has been shown
}

void WordRanking::add(const WordCandidate& candidate) {
  ++matches_;
  matches_all_ += candidate.all ? 1 : 0;
  if (!by_score_) {
    behind_.push_back(candidate);
    return;
  }
  if (!choose_ && measured_above_ != kNothingMeasured && candidate.score > measured_above_) {
    if (!past_measured_) measured_.push_back(candidate);
    return;
  }
  if (after_ && candidate.score > after_->score) return;
  if (after_ && candidate.score == after_->score) beside_.push_back(candidate);
  else keep(candidate);
}

void WordRanking::keep(const WordCandidate& candidate) {
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

void WordRanking::finish() {
  if (!by_score_) return;
  prune();
  if (!choose_) return;
  measured_above_ = -1;
  if (behind_.size() > kMeasuredRecords) {
    const auto next = behind_.begin() + static_cast<std::ptrdiff_t>(kMeasuredRecords);
    std::ranges::nth_element(behind_, next, std::greater<>{}, &WordCandidate::score);
    measured_above_ = next->score;
  }
  const auto rest = std::ranges::partition(behind_, [&](const WordCandidate& kept) { return kept.score > measured_above_; });
  measured_.assign(behind_.begin(), rest.begin());
  behind_.erase(behind_.begin(), rest.begin());
}

bool comes_before(WordOrder order, const WordPlace& a, const WordPlace& b) {
  if (order == WordOrder::kScore && a.score != b.score) return a.score > b.score;
  if (a.time != b.time) {
    if (!a.time || !b.time) return a.time.has_value();
    return order == WordOrder::kOldest ? *a.time < *b.time : *a.time > *b.time;
  }
  if (a.key != b.key) return a.key < b.key;
  return a.scope < b.scope;
}

}  // namespace ladder::store::sqlite

#include "store/postings/posting_walk.h"

#include "store/postings/heap.h"

#include <algorithm>

namespace ladder::store {
PostingWalk::PostingWalk(const PostingIndex& index, const WordExpression& expression)
    : by_number_(expression.phrases.size(), kNone), groups_(expression.groups) {
  for (std::size_t number = 0; number < expression.phrases.size(); ++number) {
    const PhraseMeaning& phrase = expression.phrases[number];
    PhrasePostings postings(index, phrase.words, phrase.prefix);
    if (postings.ended()) continue;
    by_number_[number] = phrases_.size();
    (phrase.group == PhraseMeaning::kOptional ? optional_ : groups_[phrase.group]).push_back(phrases_.size());
    phrases_.push_back({number, std::move(postings)});
  }
  for (Group& group : groups_) {
    std::ranges::make_heap(group, [this](std::size_t a, std::size_t b) { return is_after(a, b); });
  }
}

std::optional<WordRowId> PostingWalk::least_of(Group& group, WordRowId least) {
  const auto after = [this](std::size_t a, std::size_t b) { return is_after(a, b); };
  while (!group.empty()) {
    PhrasePostings& first = phrases_[group.front()].postings;
    if (first.row() >= least) return first.row();
    first.next_from(least);
    if (first.ended()) drop_front(group, after);
    else restore_front(group, after);
  }
  return std::nullopt;
}

std::optional<WordRowId> PostingWalk::next(WordRowId least, WordRowId last) {
  for (std::size_t agreed = 0, at = 0; agreed < groups_.size();) {
    const std::optional<WordRowId> row = least_of(groups_[at], least);
    if (!row || *row > last) return std::nullopt;
    agreed = *row == least ? agreed + 1 : 1;
    least = *row;
    if (++at == groups_.size()) at = 0;
  }
  row_ = least;
  for (const std::size_t phrase : optional_) phrases_[phrase].postings.next_from(row_);
  return row_;
}

}  // namespace ladder::store

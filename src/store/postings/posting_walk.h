// Iterates over the rows that match an expression, using the posting lists of its phrases, and reports where each
// phrase is.
#pragma once

#include "store/postings/posting_list.h"
#include "store/postings/word_expression.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace ladder::store {

class PostingWalk {
 public:
  PostingWalk(const PostingIndex& index, const WordExpression& expression);

  // The next row in [least, last] that has a phrase of every group; `least` must not descend. After the last row,
  // PostingIndex::status() reports whether reading failed.
  std::optional<WordRowId> next(WordRowId least, WordRowId last);

  // Calls `use` with the number of each phrase in the current row.
  template <class Use>
  void each_phrase(Use use) const {
    for (const Phrase& phrase : phrases_) {
      if (is_here(phrase)) use(phrase.number);
    }
  }
  // Columns and positions of a phrase in the current row, by its number in the expression.
  template <class Use>
  void each_position(std::size_t number, Use use) const {
    const std::size_t at = by_number_[number];
    if (at != kNone && is_here(phrases_[at])) phrases_[at].postings.each_position(use);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Phrase {
    std::size_t number = 0;
    PhrasePostings postings;
  };
  using Group = std::vector<std::size_t>;  // indexes into phrases_, a heap with the least row in front

  bool is_here(const Phrase& phrase) const { return !phrase.postings.ended() && phrase.postings.row() == row_; }
  bool is_after(std::size_t a, std::size_t b) const { return phrases_[a].postings.row() > phrases_[b].postings.row(); }
  std::optional<WordRowId> least_of(Group& group, WordRowId least);

  std::vector<Phrase> phrases_;         // phrases that some row has
  std::vector<std::size_t> by_number_;  // indexes into phrases_
  std::vector<Group> groups_;
  std::vector<std::size_t> optional_;
  WordRowId row_ = 0;
};

}  // namespace ladder::store

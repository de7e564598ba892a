// Walks the rows that an expression finds, by the posting lists of its phrases, and tells where each phrase lies in a row. FTS5
// does the same for expressions with a prefix, which stands for more words than lists can be open.
#pragma once

#include "store/sqlite/search/fts5.h"
#include "store/sqlite/search/posting_list.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace ladder::store::sqlite {

class PostingWalk {
 public:
  static bool serves(const WordExpression& expression);
  PostingWalk(const PartSegments& segments, const WordExpression& expression);

  // The next row of [least, last] that has a phrase of every group; `least` does not descend. Behind the last row,
  // PartSegments::status() tells whether reading failed.
  std::optional<WordRowId> next(WordRowId least, WordRowId last);

  // Calls `use` with the number of each phrase that is in the row that came last.
  template <class Use>
  void each_phrase(Use use) const {
    for (const Phrase& phrase : phrases_) {
      if (is_here(phrase)) use(phrase.number);
    }
  }
  // Columns and places of a phrase there, by its number in the expression.
  template <class Use>
  void each_place(std::size_t number, Use use) const {
    const std::size_t at = by_number_[number];
    if (at != kNone && is_here(phrases_[at])) phrases_[at].postings.each_place(use);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Phrase {
    std::size_t number = 0;
    PhrasePostings postings;
  };
  using Group = std::vector<std::size_t>;  // of phrases_, a heap with the least row in front

  bool is_here(const Phrase& phrase) const { return !phrase.postings.ended() && phrase.postings.row() == row_; }
  bool is_behind(std::size_t a, std::size_t b) const { return phrases_[a].postings.row() > phrases_[b].postings.row(); }
  std::optional<WordRowId> least_of(Group& group, WordRowId least);

  std::vector<Phrase> phrases_;         // that some row has
  std::vector<std::size_t> by_number_;  // in phrases_
  std::vector<Group> groups_;
  std::vector<std::size_t> beside_;
  WordRowId row_ = 0;
};

// The phrases of an expression in one row, as FTS5 or a walk over posting lists knows them.
class RowPhrases {
 public:
  RowPhrases(const Fts5ExtensionApi& api, Fts5Context* context) : api_(&api), context_(context) {}
  explicit RowPhrases(const PostingWalk& walk) : walk_(&walk) {}

  // Calls `use` with the number of each phrase, of so many, that may be there.
  template <class Use>
  void each_phrase(std::size_t count, Use use) const {
    if (walk_) return walk_->each_phrase(use);
    for (std::size_t phrase = 0; phrase < count; ++phrase) use(phrase);
  }
  // Calls `use` with column and place of each occurrence of the phrase, until it says no.
  template <class Use>
  void each_place(std::size_t phrase, Use use) const {
    if (walk_) return walk_->each_place(phrase, use);
    Fts5PhraseIter iterator;
    int column = 0, place = 0;
    if (api_->xPhraseFirst(context_, static_cast<int>(phrase), &iterator, &column, &place) != SQLITE_OK) return;
    for (; column >= 0; api_->xPhraseNext(context_, &iterator, &column, &place)) {
      if (!use(column, place)) return;
    }
  }

 private:
  const Fts5ExtensionApi* api_ = nullptr;
  Fts5Context* context_ = nullptr;
  const PostingWalk* walk_ = nullptr;
};

}  // namespace ladder::store::sqlite

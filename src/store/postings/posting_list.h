// Posting lists, read from the blocks of all segments. look_up() finds the blocks where the lists of a query's words
// begin, for all words and segments together. Lists read further blocks as they need them.
#pragma once

#include "store/postings/posting_store.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store {

// The index as seen by one search. Lists hold a pointer to it. A list whose read fails ends, and status() returns the
// error.
class PostingIndex {
 public:
  explicit PostingIndex(PostingSource& source) : source_(&source) {}

  Status load();
  Status look_up(std::span<const std::string> words);  // must ascend; replaces the previous words
  bool has(std::string_view word) const { return beginnings_.contains(word); }
  Status status() const { return fault_ ? Status(std::unexpected(*fault_)) : Status(); }

 private:
  friend class SegmentPostings;
  friend class PostingList;

  // The block of a segment in which the list of a word begins.
  struct Beginning {
    SegmentNo segment = 0;
    BlockPtr block;
  };

  void keep(Error fault) const {
    if (!fault_) fault_ = std::move(fault);
  }

  PostingSource* source_;
  std::vector<PostingSegment> segments_;
  std::map<std::string, std::vector<Beginning>, std::less<>> beginnings_;
  mutable std::optional<Error> fault_;
};

// The rows of a word in one segment, ascending.
class SegmentPostings {
 public:
  SegmentPostings(const PostingIndex& index, SegmentNo segment, std::string_view word, BlockPtr block);

  bool ended() const { return ended_; }
  WordRowId row() const { return reader_.row(); }
  std::string_view positions() const { return reader_.positions(); }  // packed
  void next_from(WordRowId least);                                    // to the first row not before `least`

 private:
  bool open(BlockPtr block);  // false: the list does not continue in the block
  bool next_block(WordRowId least);
  void end() { ended_ = true; }
  void end_with(Error fault);

  const PostingIndex* index_;
  SegmentNo segment_;
  std::string word_;
  BlockPtr block_;
  PostingReader reader_;
  bool continues_ = false, ended_ = false;
  std::vector<BlockPtr> ahead_;  // further blocks, the next one last
  std::int64_t read_ahead_ = 1;
};

// The rows that have a word, or any word with a prefix.
class PostingList {
 public:
  PostingList(const PostingIndex& index, std::string_view word, bool prefix);

  bool ended() const { return heap_.empty(); }
  WordRowId row() const { return lists_[heap_.front()].row(); }
  void next_from(WordRowId least);
  // Columns and positions in the current row, ascending.
  template <class Use>
  void each_position(Use use) const {
    if (!joins_) return each_packed_position(lists_[heap_.front()].positions(), use);
    for (const auto& [column, position] : joined_positions()) {
      if (!use(column, position)) return;
    }
  }

 private:
  void open_prefix(const PostingIndex& index, std::string_view prefix);
  bool is_after(std::size_t a, std::size_t b) const { return lists_[a].row() > lists_[b].row(); }
  std::vector<std::pair<int, std::int32_t>> joined_positions() const;

  std::vector<SegmentPostings> lists_;
  std::vector<std::size_t> heap_;  // indexes into lists_, the least row in front
  bool joins_ = false;             // several lists may have the same row
};

// The rows that have the words next to each other, in order.
class PhrasePostings {
 public:
  PhrasePostings(const PostingIndex& index, std::span<const std::string> words, bool prefix);  // prefix: of the last word

  bool ended() const { return words_.front().ended(); }
  WordRowId row() const { return words_.front().row(); }
  void next_from(WordRowId least) {
    words_.front().next_from(least);
    if (words_.size() > 1) settle();
  }
  // Columns and positions of the first word.
  template <class Use>
  void each_position(Use use) const {
    if (words_.size() == 1) return words_.front().each_position(use);
    for (const std::int64_t position : positions_) {
      if (!use(static_cast<int>(position >> kColumnShift), static_cast<std::int32_t>(position & kPositionMask))) return;
    }
  }

 private:
  static constexpr int kColumnShift = 32;
  static constexpr std::int64_t kPositionMask = (std::int64_t{1} << kColumnShift) - 1;

  void settle();
  bool find_positions();

  std::vector<PostingList> words_;
  WordRowId settled_ = -1;               // the row of positions_
  std::vector<std::int64_t> positions_;  // for several words: column and position, ascending
};

}  // namespace ladder::store

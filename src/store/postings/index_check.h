// Compares the word index with the words in the stored texts. Adds up what the texts require per row and subtracts what
// the segments contain; at the end every row must be zero.
#pragma once

#include "store/postings/posting_store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::store {

class PostingCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;
  explicit PostingCheck(Fault fault) : fault_(std::move(fault)) {}

  // Records that the row has these words in the column, as text/passages.h prepares them.
  void expect(WordRowId row, int column, std::string_view words);
  // Reads every posting of a segment. Reports damage, and blocks or postings out of order.
  Status read(PostingSource& source, const PostingSegment& segment);
  // Reports every row whose words differ from its text, except rows for which `is_left` returns true: the sweep will
  // remove them.
  using IsLeft = std::function<Result<bool>(WordRowId row)>;
  Status finish(const IsLeft& is_left = {});

 private:
  // Order-independent sums, so that rows are equal if they have the same words at the same positions.
  struct RowSum {
    std::uint64_t words = 0;
    std::int64_t count = 0;
    friend bool operator==(const RowSum&, const RowSum&) = default;
  };

  void read_block(const PostingBlock& block, const PostingSegment& segment);
  void damaged(const PostingSegment& segment, std::string_view how);

  Fault fault_;
  std::unordered_map<WordRowId, RowSum> rows_;
  std::string last_word_;  // of the current segment
  WordRowId last_row_ = -1;
};

}  // namespace ladder::store

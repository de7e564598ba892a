// Compares the word index with the words that the texts of a store give. What the texts ask for is added up per row, what the
// segments have is subtracted, so that in the end every row is zero.
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

  // The row has these words in the column, as store/text/passages.h prepares them.
  void expect(WordRowId row, int column, std::string_view words);
  // Reads every posting of a segment. Reports damage, and blocks or postings that do not ascend.
  Status read(PostingSource& source, const PostingSegment& segment);
  // Reports every row that has other words than its text, but for those that `is_left` says the sweep will remove.
  using IsLeft = std::function<Result<bool>(WordRowId row)>;
  Status finish(const IsLeft& is_left = {});

 private:
  // Adds up without order, so that rows that agree are the same words at the same places.
  struct RowSum {
    std::uint64_t words = 0;
    std::int64_t count = 0;
    friend bool operator==(const RowSum&, const RowSum&) = default;
  };

  void read_block(const PostingBlock& block, const PostingSegment& segment);
  void damaged(const PostingSegment& segment, std::string_view how);

  Fault fault_;
  std::unordered_map<WordRowId, RowSum> rows_;
  std::string last_word_;  // of the segment that is read
  WordRowId last_row_ = -1;
};

}  // namespace ladder::store

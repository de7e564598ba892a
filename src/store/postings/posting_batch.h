// The words that one transaction adds to the index and removes from it. They are collected, sorted by word, and written
// together: additions become a segment, removals are taken out of the blocks that contain them. If a row is both
// removed and added, only the words whose positions differ are touched.
#pragma once

#include "store/postings/posting_store.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store {

struct ColumnWords {
  int column = 0;
  std::string words;  // as text/passages.h prepares them; not empty

  friend bool operator==(const ColumnWords&, const ColumnWords&) = default;
};
using RowWords = std::vector<ColumnWords>;  // by ascending column

class PostingBatch {
 public:
  // A row without words is ignored. Additions and removals of the same row alternate; its first removal has exactly the
  // words that are in the index.
  void add(WordRowId row, RowWords words) { gather({row, true, std::move(words)}); }
  void remove(WordRowId row, RowWords words) { gather({row, false, std::move(words)}); }

  bool has_removals() const;
  std::size_t bytes() const { return bytes_; }  // of the collected words
  bool empty() const { return changes_.empty(); }

  // Writes the collected changes and clears them. Returns how many blocks were written.
  Result<std::int64_t> write(PostingStore& store);

 private:
  struct Change {
    WordRowId row = 0;
    bool adds = false;
    RowWords words;
  };

  void gather(Change change);

  std::vector<Change> changes_;
  std::size_t bytes_ = 0;
};

// Removes postings from every segment that has them; the pairs must ascend. Returns how many blocks were written.
Result<std::int64_t> remove_from_segments(PostingStore& store, const std::vector<WordInRow>& pairs);

// Removes all rows of some ranges, block by block, in as many transactions as needed. No more rows may be added to the
// ranges, for example when a connection is erased. It walks the segments in ascending order. A merge moves postings to
// a segment with a greater number or after the last key, so none is missed.
struct PostingPurge {
  std::vector<RowRange> ranges;  // ascending, without overlap
  BlockPosition reached = {};    // blocks up to here are done
};
// Continues for about so many blocks. Returns true when it is complete.
Result<bool> purge_some(PostingStore& store, PostingPurge& purge, std::int64_t blocks);

}  // namespace ladder::store

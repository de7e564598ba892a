// Segments and blocks of one owner's word index, as an engine reads and writes them in one transaction. The engines
// handle keys and bytes, compare keys, and verify the checksum of every block that they read. posting_block.h defines
// the format of the blocks.
//
// A (word, row) pair is in at most one segment: a row is removed before it is written again, and merging moves postings
// between segments within a transaction. So readers union the segments, and there are no tombstones.
#pragma once

#include "store/postings/posting_block.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

using SegmentNo = std::int64_t;

struct PostingSegment {
  SegmentNo no = 0;
  std::int64_t blocks = 0;                // as written; not reduced by removals
  WordRowId first_row = 0, last_row = 0;  // bounds of all postings
  SegmentNo into = 0;  // the segment that it is being merged into; its own number: others are being merged into it

  friend bool operator==(const PostingSegment&, const PostingSegment&) = default;
};

using BlockPtr = std::shared_ptr<const PostingBlock>;

struct BlockPosition {
  SegmentNo segment = 0;
  std::string key;

  friend bool operator==(const BlockPosition&, const BlockPosition&) = default;
};

class PostingSource {
 public:
  virtual ~PostingSource() = default;

  virtual Result<std::vector<PostingSegment>> segments() = 0;  // ascending
  // Returns for each position the block with the greatest key not after it; null if the segment has none. Positions in
  // the same block share it. They must ascend within a segment.
  virtual Result<std::vector<BlockPtr>> blocks_at(std::span<const BlockPosition> positions) = 0;
  // The next blocks of the segment after a key, ascending.
  virtual Result<std::vector<BlockPtr>> blocks_after(const BlockPosition& position, std::int64_t limit) = 0;
};

class PostingStore : public PostingSource {
 public:
  virtual Result<SegmentNo> take_segment_no() = 0;  // never used before
  virtual Status put_segment(const PostingSegment& segment) = 0;
  virtual Status drop_segment(SegmentNo segment) = 0;  // it must have no blocks
  virtual Status add_block(SegmentNo segment, const PostingBlock& block) = 0;
  virtual Status replace_block(SegmentNo segment, std::string_view key, const PostingBlock& block) = 0;
  virtual Status drop_block(SegmentNo segment, std::string_view key) = 0;
};

}  // namespace ladder::store

// The tables word_segments and word_blocks of one owner.
#pragma once

#include "store/postings/posting_store.h"
#include "store/rows/rows.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

class PostingRows final : public PostingStore {
 public:
  PostingRows(Connection& connection, OwnerNo owner) : connection_(connection), owner_(owner) {}

  Result<std::vector<PostingSegment>> segments() override;
  Result<std::vector<BlockPtr>> blocks_at(std::span<const BlockPosition> places) override;
  Result<std::vector<BlockPtr>> blocks_after(const BlockPosition& place, std::int64_t limit) override;

  Result<SegmentNo> take_segment_no() override;
  Status put_segment(const PostingSegment& segment) override;
  Status drop_segment(SegmentNo segment) override;
  Status add_block(SegmentNo segment, const PostingBlock& block) override;
  Status replace_block(SegmentNo segment, std::string_view key, const PostingBlock& block) override;
  Status drop_block(SegmentNo segment, std::string_view key) override;

 private:
  Result<BlockPtr> block_in(SegmentNo segment, const Statement& row, int first_column) const;
  std::int64_t sum_of(SegmentNo segment, std::string_view key, std::string_view bytes) const;

  Connection& connection_;
  const OwnerNo owner_;
};

}  // namespace ladder::store::sqlite

#include "store/sqlite/search/posting_rows.h"

#include "base/text/bytes.h"

#include <utility>

namespace ladder::store::sqlite {

std::int64_t PostingRows::sum_of(SegmentNo segment, std::string_view key, std::string_view bytes) const {
  return static_cast<std::int64_t>(Checksum().add(owner_).add(segment).add(key).add(bytes).value());
}

// The columns of a row are key, block, sum.
Result<BlockPtr> PostingRows::block_in(SegmentNo segment, const Statement& row, int first_column) const {
  const std::string_view key = row.bytes_at(first_column), bytes = row.bytes_at(first_column + 1);
  if (row.integer_at(first_column + 2) != sum_of(segment, key, bytes)) return std::unexpected(damaged_block());
  return std::make_shared<const PostingBlock>(std::string(key), std::string(bytes));
}

Result<std::vector<PostingSegment>> PostingRows::segments() {
  std::vector<PostingSegment> segments;
  Statement rows = connection_.use(Sql::kWordSegments);
  rows.integer(1, owner_);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return segments;
    segments.push_back({rows.integer_at(0), rows.integer_at(1), rows.integer_at(2), rows.integer_at(3), rows.integer_at(4)});
  }
}

// The primary key is enough to find the row of a block, so a block that several places share is read once.
Result<std::vector<BlockPtr>> PostingRows::blocks_at(std::span<const BlockPosition> places) {
  std::vector<BlockPtr> blocks;
  blocks.reserve(places.size());
  Statement find = connection_.use(Sql::kWordBlockRow);
  Statement read = connection_.use(Sql::kWordBlock);
  std::int64_t last_row = 0;
  for (const BlockPosition& place : places) {
    find.reset();
    LADDER_TRY(const bool found, find.integer(1, owner_).integer(2, place.segment).blob(3, place.key).step());
    if (!found) {
      blocks.emplace_back();
      last_row = 0;
      continue;
    }
    const std::int64_t row = find.integer_at(0);
    if (row == last_row) {
      blocks.push_back(blocks.back());
      continue;
    }
    read.reset();
    LADDER_TRY(const bool is_there, read.integer(1, row).step());
    if (!is_there) return std::unexpected(damaged_block());
    LADDER_TRY(BlockPtr block, block_in(place.segment, read, 0));
    blocks.push_back(std::move(block));
    last_row = row;
  }
  return blocks;
}

Result<std::vector<BlockPtr>> PostingRows::blocks_after(const BlockPosition& place, std::int64_t limit) {
  std::vector<BlockPtr> blocks;
  Statement rows = connection_.use(Sql::kWordBlocksAfter);
  rows.integer(1, owner_).integer(2, place.segment).blob(3, place.key).integer(4, limit);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return blocks;
    LADDER_TRY(BlockPtr block, block_in(place.segment, rows, 0));
    blocks.push_back(std::move(block));
  }
}

Result<SegmentNo> PostingRows::take_segment_no() {
  Statement row = connection_.use(Sql::kNextSegmentNo);
  LADDER_TRY(const bool found, row.integer(1, owner_).step());
  return found ? row.integer_at(0) : 1;
}

Status PostingRows::put_segment(const PostingSegment& segment) {
  return connection_.use(Sql::kPutSegment)
      .integer(1, owner_)
      .integer(2, segment.no)
      .integer(3, segment.blocks)
      .integer(4, segment.first_row)
      .integer(5, segment.last_row)
      .integer(6, segment.into)
      .run();
}

Status PostingRows::drop_segment(SegmentNo segment) {
  return connection_.use(Sql::kDropSegment).integer(1, owner_).integer(2, segment).run();
}

Status PostingRows::add_block(SegmentNo segment, const PostingBlock& block) {
  return connection_.use(Sql::kAddWordBlock)
      .integer(1, owner_)
      .integer(2, segment)
      .blob(3, block.key)
      .blob(4, block.bytes)
      .integer(5, sum_of(segment, block.key, block.bytes))
      .run();
}

Status PostingRows::replace_block(SegmentNo segment, std::string_view key, const PostingBlock& block) {
  return connection_.use(Sql::kReplaceWordBlock)
      .integer(1, owner_)
      .integer(2, segment)
      .blob(3, key)
      .blob(4, block.key)
      .blob(5, block.bytes)
      .integer(6, sum_of(segment, block.key, block.bytes))
      .run();
}

Status PostingRows::drop_block(SegmentNo segment, std::string_view key) {
  return connection_.use(Sql::kDropWordBlock).integer(1, owner_).integer(2, segment).blob(3, key).run();
}

}  // namespace ladder::store::sqlite

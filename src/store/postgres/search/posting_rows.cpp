#include "store/postgres/search/posting_rows.h"

#include "base/text/bytes.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kMaxUnsentBytes = 1 << 20;  // bytes of blocks

constexpr Statement kSegments{kSegmentsSql};
constexpr Statement kBlocksAt{kBlocksAtSql};
constexpr Statement kBlocksAfter{kBlocksAfterSql};
constexpr Statement kAddOwner{"INSERT INTO word_owners (owner_no) VALUES ($1::bigint) ON CONFLICT DO NOTHING"};
constexpr Statement kLockOwner{"SELECT owner_no FROM word_owners WHERE owner_no = $1::bigint FOR UPDATE"};
constexpr Statement kNextSegmentNo{"SELECT nextval('word_segment_no')"};
constexpr Statement kPutSegments{R"(
  INSERT INTO word_segments (owner_no, segment_no, blocks, first_row, last_row, into_no, version)
  SELECT $1::bigint, s.*, nextval('word_segment_no')
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS s
  ON CONFLICT (owner_no, segment_no) DO UPDATE SET blocks = excluded.blocks, first_row = excluded.first_row,
    last_row = excluded.last_row, into_no = excluded.into_no, version = excluded.version)"};
constexpr Statement kTouchSegments{
    "UPDATE word_segments SET version = nextval('word_segment_no')"
    " WHERE owner_no = $1::bigint AND segment_no = ANY ($2::bigint[])"};
constexpr Statement kDropSegments{"DELETE FROM word_segments WHERE owner_no = $1::bigint AND segment_no = ANY ($2::bigint[])"};
constexpr Statement kAddBlocks{
    "INSERT INTO word_blocks (owner_no, segment_no, key, block, sum)"
    " SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bytea[]), unnest($4::bytea[]), unnest($5::bigint[])"};
constexpr Statement kDropBlocks{R"(
  DELETE FROM word_blocks WHERE ctid = ANY (ARRAY(
    SELECT b.ctid FROM unnest($2::bigint[], $3::bytea[]) AS d(segment_no, key),
      LATERAL (SELECT ctid FROM word_blocks WHERE owner_no = $1::bigint AND segment_no = d.segment_no AND key = d.key OFFSET 0) AS b)))"};

std::int64_t sum_of(OwnerNo owner, SegmentNo segment, std::string_view key, std::string_view bytes) {
  return static_cast<std::int64_t>(Checksum().add(owner).add(segment).add(key).add(bytes).value());
}

}  // namespace

std::vector<PostingSegment> read_segments(const Rows& rows) {
  std::vector<PostingSegment> segments;
  segments.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    segments.push_back({rows.int8(row, 0), rows.int8(row, 1), rows.int8(row, 2), rows.int8(row, 3), rows.int8(row, 4)});
  }
  return segments;
}

Result<BlockPtr> read_block(OwnerNo owner, SegmentNo segment, const Rows& rows, int row, int column) {
  const std::string_view key = rows.bytes(row, column), bytes = rows.bytes(row, column + 1);
  if (rows.int8(row, column + 2) != sum_of(owner, segment, key, bytes)) return std::unexpected(damaged_block());
  return std::make_shared<const PostingBlock>(std::string(key), std::string(bytes));
}

Result<std::vector<BlockPtr>> read_blocks_at(OwnerNo owner, std::span<const BlockPosition> places, const Rows& rows) {
  std::vector<BlockPtr> blocks(places.size());
  BlockPtr last;
  for (int row = 0; row < rows.size(); ++row) {
    const auto at = static_cast<std::size_t>(rows.int8(row, 0) - 1);
    if (rows.is_null(row, 1)) continue;
    if (!rows.is_null(row, 2)) {
      LADDER_TRY(last, read_block(owner, places[at].segment, rows, row, 1));
    } else if (!last || last->key != rows.bytes(row, 1)) {
      return std::unexpected(damaged_block());
    }
    blocks[at] = last;
  }
  return blocks;
}

Status PostingRows::lock_owner() {
  if (locked_) return {};
  send();
  connection_.add(kAddOwner, owner_);
  connection_.add(kLockOwner, owner_);
  LADDER_TRY(const Rows rows, connection_.run_last(kSegments, owner_));
  locked_segments_ = read_segments(rows);
  locked_ = true;
  return {};
}

// Drops come first: a replaced block is dropped and added again, possibly under the same key.
void PostingRows::send() {
  if (!dropped_key_.empty()) connection_.add(kDropBlocks, owner_, dropped_block_segment_, dropped_key_);
  if (!added_.key.empty()) connection_.add(kAddBlocks, owner_, added_.segment, added_.key, added_.block, added_.sum);
  if (!dropped_segment_.empty()) connection_.add(kDropSegments, owner_, dropped_segment_);
  Int8Array no, blocks, first, last, into, touched;
  for (const PostingSegment& segment : put_) {
    no.add(segment.no);
    blocks.add(segment.blocks);
    first.add(segment.first_row);
    last.add(segment.last_row);
    into.add(segment.into);
    changed_.erase(segment.no);
  }
  for (const SegmentNo segment : changed_) touched.add(segment);
  if (!no.empty()) connection_.add(kPutSegments, owner_, no, blocks, first, last, into);
  if (!touched.empty()) connection_.add(kTouchSegments, owner_, touched);
  dropped_segment_ = {};
  dropped_block_segment_ = {};
  dropped_key_ = {};
  added_ = {};
  put_.clear();
  added_keys_.clear();
  changed_.clear();
}

Result<std::vector<PostingSegment>> PostingRows::segments() {
  if (locked_segments_) return *std::exchange(locked_segments_, std::nullopt);
  send();
  LADDER_TRY(const Rows rows, connection_.run_last(kSegments, owner_));
  return read_segments(rows);
}

Result<std::vector<BlockPtr>> PostingRows::blocks_at(std::span<const BlockPosition> places) {
  send();
  Int8Array segments;
  ByteaArray keys;
  for (const auto& [segment, key] : places) {
    segments.add(segment);
    keys.add(key);
  }
  LADDER_TRY(const Rows rows, connection_.run_last(kBlocksAt, owner_, segments, keys));
  return read_blocks_at(owner_, places, rows);
}

Result<std::vector<BlockPtr>> PostingRows::blocks_after(const BlockPosition& place, std::int64_t limit) {
  send();
  LADDER_TRY(const Rows rows, connection_.run_last(kBlocksAfter, owner_, place.segment, place.key, limit));
  std::vector<BlockPtr> blocks;
  for (int row = 0; row < rows.size(); ++row) {
    LADDER_TRY(BlockPtr block, read_block(owner_, place.segment, rows, row, 0));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

Result<SegmentNo> PostingRows::take_segment_no() {
  if (given_ != 0) return std::exchange(given_, 0);
  LADDER_TRY(const Rows rows, connection_.run_last(kNextSegmentNo));
  return rows.int8(0, 0);
}

// Keeps only the newest of several changes.
Status PostingRows::put_segment(const PostingSegment& segment) {
  locked_segments_.reset();
  std::erase_if(put_, [&](const PostingSegment& put) { return put.no == segment.no; });
  put_.push_back(segment);
  return {};
}

Status PostingRows::drop_segment(SegmentNo segment) {
  locked_segments_.reset();
  std::erase_if(put_, [&](const PostingSegment& put) { return put.no == segment; });
  changed_.erase(segment);
  dropped_segment_.add(segment);
  return {};
}

Status PostingRows::add_block(SegmentNo segment, const PostingBlock& block) {
  added_.segment.add(segment);
  added_.key.add(block.key);
  added_.block.add(block.bytes);
  added_.sum.add(sum_of(owner_, segment, block.key, block.bytes));
  added_keys_.emplace(segment, block.key);
  changed_.insert(segment);
  return send_if_full();
}

Status PostingRows::replace_block(SegmentNo segment, std::string_view key, const PostingBlock& block) {
  LADDER_CHECK(drop_block(segment, key));
  return add_block(segment, block);
}

Status PostingRows::drop_block(SegmentNo segment, std::string_view key) {
  if (added_keys_.contains({segment, std::string(key)})) send();  // a drop must precede the additions of the same statement
  dropped_block_segment_.add(segment);
  dropped_key_.add(key);
  connection_.count_dropped_block();
  changed_.insert(segment);
  return {};
}

Status PostingRows::send_if_full() {
  if (added_.block.bytes().size() < kMaxUnsentBytes) return {};
  send();
  LADDER_TRY(const auto sent, connection_.run());
  return {};
}

}  // namespace ladder::store::postgres

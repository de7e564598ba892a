// The tables word_segments and word_blocks of one owner. Lookups compare keys and numbers only, so that they use the
// primary key even under row-level security and on a distributed table.
//
// Adding a segment takes no lock, because its numbers are unique. Removing and merging read blocks and write them back,
// so they are serialized: lock_owner() locks the owner's row of word_owners until the transaction ends. It is the last
// lock that a transaction takes.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postings/posting_store.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

inline constexpr const char* kSegmentsSql =
    "SELECT segment_no, blocks, first_row, last_row, into_no, version FROM word_segments WHERE owner_no = $1::bigint"
    " ORDER BY segment_no";
std::vector<PostingSegment> read_segments(const Rows& rows);

// The block for each place $2, $3: the place's number from 1, key, block, sum, and the key of the next block. If a
// place has the same block as the previous one, only the key is sent.
inline constexpr const char* kBlocksAtSql = R"(
  SELECT f.at, f.key, b.block, b.sum, n.key
  FROM (SELECT p.at, p.segment_no, k.key, lag(p.at) OVER w IS NULL OR lag(p.segment_no) OVER w <> p.segment_no
               OR lag(k.key) OVER w IS DISTINCT FROM k.key AS is_other
        FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS p(segment_no, key, at)
             LEFT JOIN LATERAL (SELECT key FROM word_blocks
                                WHERE owner_no = $1::bigint AND segment_no = p.segment_no AND key <= p.key
                                ORDER BY key DESC LIMIT 1) AS k ON true
        WINDOW w AS (ORDER BY p.at)) AS f
       LEFT JOIN LATERAL (SELECT block, sum FROM word_blocks
                          WHERE owner_no = $1::bigint AND segment_no = f.segment_no AND key = f.key AND f.is_other
                          OFFSET 0) AS b ON true
       LEFT JOIN LATERAL (SELECT key FROM word_blocks
                          WHERE owner_no = $1::bigint AND segment_no = f.segment_no AND key > coalesce(f.key, ''::bytea) AND f.is_other
                          ORDER BY key LIMIT 1) AS n ON true
  ORDER BY f.at)";
inline constexpr const char* kBlocksAfterSql =
    "SELECT key, block, sum FROM word_blocks WHERE owner_no = $1::bigint AND segment_no = $2::bigint AND key > $3::bytea"
    " ORDER BY key LIMIT $4::bigint";
// The block for the place $2, $3 and the following ones, $4 in total.
inline constexpr const char* kBlocksFromSql =
    "SELECT key, block, sum FROM word_blocks WHERE owner_no = $1::bigint AND segment_no = $2::bigint AND key >="
    " (SELECT key FROM word_blocks WHERE owner_no = $1::bigint AND segment_no = $2::bigint AND key <= $3::bytea"
    "  ORDER BY key DESC LIMIT 1) ORDER BY key LIMIT $4::bigint";

// Reads a block: key, block and sum, starting at `column`. kDamagedData.
Result<BlockPtr> read_block(OwnerNo owner, SegmentNo segment, const Rows& rows, int row, int column);
Result<std::vector<BlockPtr>> read_blocks_at(OwnerNo owner, std::span<const BlockPosition> places, const Rows& rows);

// Used in a write transaction. Changes are collected and sent before the next read, or by send().
class PostingRows final : public PostingStore {
 public:
  PostingRows(Connection& connection, OwnerNo owner) : connection_(connection), owner_(owner) {}

  // Sets a number allocated in an earlier round trip, for the next take_segment_no().
  void give_segment_no(SegmentNo segment) { given_ = segment; }
  Status lock_owner();
  void send();  // queues the remaining changes; the caller commits

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
  Status send_if_full();

  struct BlockArrays {
    Int8Array segment, sum;
    ByteaArray key, block;
  };

  Connection& connection_;
  const OwnerNo owner_;
  SegmentNo given_ = 0;
  bool locked_ = false;
  std::optional<std::vector<PostingSegment>> locked_segments_;  // as they were when the lock was taken, until they are asked for
  Int8Array dropped_segment_, dropped_block_segment_;
  ByteaArray dropped_key_;
  BlockArrays added_;
  std::vector<PostingSegment> put_;
  std::set<std::pair<SegmentNo, std::string>> added_keys_;
  std::set<SegmentNo> changed_;  // segments whose blocks have changed
};

}  // namespace ladder::store::postgres

// Keeps the number of segments small. Every transaction that adds words adds a segment; segments of about the same size are
// merged into a larger one. A merge moves postings in ascending order, some blocks per transaction: what was moved is in the
// target and no longer in the inputs, so a merge needs no state besides the segments, can stop after any transaction, and readers
// and removals see every posting exactly once.
#pragma once

#include "store/postings/posting_store.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMergeFrom = 8;       // segments of one size
inline constexpr std::size_t kMostMerged = 32;     // segments at once
inline constexpr std::int64_t kMergedAtOnce = 96;  // blocks of one step of background work: some milliseconds

// A merge that is due or under way.
struct PostingMerge {
  SegmentNo target = 0;  // 0: it has not begun
  std::vector<PostingSegment> inputs;
  std::int64_t blocks() const;  // of the inputs
};

// The merge to go on with: the smallest. None: there are few segments.
std::optional<PostingMerge> merge_due(std::span<const PostingSegment> segments);

// Moves about so many blocks. True: the merge is complete.
Result<bool> merge_some(PostingStore& store, const PostingMerge& merge, std::int64_t blocks);

// Says whether a write helps to merge these segments.
bool merges_after_write(std::span<const PostingSegment> segments);
// The merging that a transaction does that wrote so many blocks: enough that the number of segments stays small without any
// background work.
Status merge_after_write(PostingStore& store, std::int64_t blocks_written);

}  // namespace ladder::store

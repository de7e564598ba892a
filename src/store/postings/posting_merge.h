// Keeps the number of segments small. Every transaction that adds words adds a segment; segments of similar size are
// merged into a larger one. A merge moves postings in ascending order, some blocks per transaction. Moved postings are
// in the target and no longer in the inputs, so a merge needs no state besides the segments and can stop after any
// transaction, and readers and removals see every posting exactly once.
#pragma once

#include "store/postings/posting_store.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMergeFrom = 8;       // segments of one size class
inline constexpr std::size_t kTidyFrom = 2;        // the same between writes: a search looks up each word in each segment
inline constexpr std::size_t kMaxMerged = 32;      // segments in one merge
inline constexpr std::int64_t kMergedAtOnce = 96;  // blocks per background step: some milliseconds

// A merge that is due or in progress.
struct PostingMerge {
  SegmentNo target = 0;  // 0: not started
  std::vector<PostingSegment> inputs;
  std::int64_t blocks() const;  // of the inputs
};

// Returns the smallest merge that is due; nullopt when there are few segments: fewer than `from` of each size class.
std::optional<PostingMerge> merge_due(std::span<const PostingSegment> segments, std::size_t from = kMergeFrom);

// Moves about so many blocks. Returns true when the merge is complete.
Result<bool> merge_some(PostingStore& store, const PostingMerge& merge, std::int64_t blocks);

// Returns whether a write should help to merge these segments.
bool merges_after_write(std::span<const PostingSegment> segments);
// The merging done by a transaction that wrote so many blocks. It is enough to keep the number of segments small
// without any background work.
Status merge_after_write(PostingStore& store, std::int64_t blocks_written);

}  // namespace ladder::store

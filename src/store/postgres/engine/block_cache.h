// A process-wide cache of word index blocks. The version of a segment changes with every change of its blocks and is
// unique over all segments, so a block cached under a version is valid in every snapshot with that version. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "store/postings/posting_store.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

using SegmentVersion = std::int64_t;

// A block and the key of the next one in its segment. A null block is the position before the first.
struct ChainedBlock {
  BlockPtr block;
  std::optional<std::string> next;  // empty: it is the last; nullopt: unknown
};

class BlockCache {
 public:
  // Returns the block with the greatest key that is not after `key`, or null if there is none. Nullopt: not cached.
  std::optional<BlockPtr> find(SegmentVersion version, std::string_view key);
  // Returns the blocks after the one with this key, up to the first that is not cached. `ended`: the segment has no more blocks.
  std::vector<BlockPtr> next(SegmentVersion version, std::string_view key, std::size_t limit, bool& ended);
  void keep(SegmentVersion version, const ChainedBlock& block);
  // Records that the block with `key` is followed by the one with `next`; empty: by none.
  void join(SegmentVersion version, std::string_view key, std::string_view next);

 private:
  static constexpr std::size_t kMaxBytes = 32 << 20;

  using Blocks = std::map<std::string, ChainedBlock, std::less<>>;
  struct Segment {
    SegmentVersion version = 0;
    Blocks blocks;
    std::size_t bytes = 0;
  };

  Segment& segment_of(SegmentVersion version) LADDER_REQUIRES(mutex_);

  Mutex mutex_;
  std::list<Segment> segments_ LADDER_GUARDED_BY(mutex_);  // most recently used first
  std::unordered_map<SegmentVersion, std::list<Segment>::iterator> by_version_ LADDER_GUARDED_BY(mutex_);
  std::size_t bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::store::postgres

// Caches blocks of the word index in the process. A segment has a version that changes with every change of its blocks and that
// no other state of any segment has, so what is cached under a version is true in every view that has it. Safe to use from any
// thread.
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

// A block and the key of the next one in its segment. A null block stands for the place before the first.
struct ChainedBlock {
  BlockPtr block;
  std::optional<std::string> next;  // empty: it is the last; none: unknown
};

class BlockCache {
 public:
  // The block with the greatest key that is not after this one, null if there is none. None: it is not cached.
  std::optional<BlockPtr> find(SegmentVersion version, std::string_view key);
  // Blocks after the one with this key, as far as they are cached without a gap. `ended`: the segment has no further one.
  std::vector<BlockPtr> next(SegmentVersion version, std::string_view key, std::size_t limit, bool& ended);
  void keep(SegmentVersion version, const ChainedBlock& block);
  // The block with this key is followed by the one with the other; empty: by none.
  void join(SegmentVersion version, std::string_view key, std::string_view next);

 private:
  static constexpr std::size_t kMostBytes = 32 << 20;

  using Blocks = std::map<std::string, ChainedBlock, std::less<>>;
  struct Segment {
    SegmentVersion version = 0;
    Blocks blocks;
    std::size_t bytes = 0;
  };

  Segment& segment_of(SegmentVersion version) LADDER_REQUIRES(mutex_);

  Mutex mutex_;
  std::list<Segment> segments_ LADDER_GUARDED_BY(mutex_);  // the one that was used last in front
  std::unordered_map<SegmentVersion, std::list<Segment>::iterator> by_version_ LADDER_GUARDED_BY(mutex_);
  std::size_t bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::store::postgres

#include "store/postgres/engine/block_cache.h"

#include <iterator>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kEntryBytes = 200;  // approximate size of the map entry and the block

std::size_t bytes_of(const ChainedBlock& block) {
  const std::size_t bytes = kEntryBytes + (block.next ? block.next->size() : 0);
  return block.block ? bytes + 2 * block.block->key.size() + block.block->bytes.size() : bytes;
}

}  // namespace

BlockCache::Segment& BlockCache::segment_of(SegmentVersion version) {
  const auto found = by_version_.find(version);
  if (found == by_version_.end()) {
    segments_.push_front({.version = version, .blocks = {}, .bytes = 0});
    by_version_[version] = segments_.begin();
  } else {
    segments_.splice(segments_.begin(), segments_, found->second);
  }
  return segments_.front();
}

std::optional<BlockPtr> BlockCache::find(SegmentVersion version, std::string_view key) {
  const MutexLock lock(mutex_);
  const Blocks& blocks = segment_of(version).blocks;
  const auto after = blocks.upper_bound(key);
  if (after == blocks.begin()) return std::nullopt;
  const ChainedBlock& found = std::prev(after)->second;
  const bool is_it = found.next && (found.next->empty() || key < *found.next);
  return is_it ? std::optional(found.block) : std::nullopt;
}

std::vector<BlockPtr> BlockCache::next(SegmentVersion version, std::string_view key, std::size_t limit, bool& ended) {
  const MutexLock lock(mutex_);
  const Blocks& blocks = segment_of(version).blocks;
  std::vector<BlockPtr> found;
  ended = false;
  for (auto at = blocks.find(key); at != blocks.end() && at->second.next && found.size() < limit;) {
    ended = at->second.next->empty();
    if (ended) break;
    at = blocks.find(*at->second.next);
    if (at != blocks.end()) found.push_back(at->second.block);
  }
  return found;
}

void BlockCache::join(SegmentVersion version, std::string_view key, std::string_view next) {
  const MutexLock lock(mutex_);
  Blocks& blocks = segment_of(version).blocks;
  if (const auto at = blocks.find(key); at != blocks.end()) at->second.next = std::string(next);
}

// Evicts the least recently used segments when the cache is too large.
void BlockCache::keep(SegmentVersion version, const ChainedBlock& block) {
  const MutexLock lock(mutex_);
  Segment& segment = segment_of(version);
  const auto [at, added] = segment.blocks.try_emplace(block.block ? block.block->key : std::string(), block);
  if (!added) {
    if (!at->second.next) at->second.next = block.next;
    return;
  }
  const std::size_t bytes = bytes_of(block);
  segment.bytes += bytes;
  bytes_ += bytes;
  while (bytes_ > kMaxBytes) {
    bytes_ -= segments_.back().bytes;
    by_version_.erase(segments_.back().version);
    segments_.pop_back();
  }
}

}  // namespace ladder::store::postgres

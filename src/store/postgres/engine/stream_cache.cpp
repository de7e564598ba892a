#include "store/postgres/engine/stream_cache.h"

namespace ladder::store::postgres {
std::shared_ptr<const SearchRanges> StreamCache::ranges(std::span<const WordScope> scopes,
                                                        const std::vector<StreamStats>& stats) {
  const MutexLock lock(mutex_);
  for (auto kept = ranges_.begin(); kept != ranges_.end(); ++kept) {
    if (!kept->ranges->is_for(scopes)) continue;
    if (kept->stats != stats) {
      ranges_.erase(kept);
      return nullptr;
    }
    ranges_.splice(ranges_.begin(), ranges_, kept);
    return ranges_.front().ranges;
  }
  return nullptr;
}

void StreamCache::keep_ranges(const std::vector<StreamStats>& stats, std::shared_ptr<const SearchRanges> ranges) {
  if (ranges->shared.size() > kMaxShared) return;
  const MutexLock lock(mutex_);
  ranges_.push_front({stats, std::move(ranges)});
  if (ranges_.size() > kMaxRanges) ranges_.pop_back();
}

}  // namespace ladder::store::postgres

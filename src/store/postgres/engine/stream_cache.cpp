#include "store/postgres/engine/stream_cache.h"

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindOwners{
    "SELECT s.stream_no, c.owner_no FROM streams s JOIN connections c ON c.connection_no = s.connection_no"
    " WHERE s.stream_no = ANY ($1::bigint[])"};
}  // namespace

Result<std::vector<OwnerNo>> StreamCache::owners(Connection& connection, std::span<const WordScope> scopes) {
  std::vector<OwnerNo> owners(scopes.size(), 0);
  Int8Array unknown;
  const auto fill = [&](Int8Array* missing) {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < scopes.size(); ++i) {
      const auto at = owners_.find(scopes[i].stream);
      if (at != owners_.end()) owners[i] = at->second;
      else if (missing != nullptr) missing->add(scopes[i].stream);
    }
  };
  fill(&unknown);
  if (unknown.empty()) return owners;
  LADDER_TRY(const Rows found, connection.run_one(kFindOwners, unknown));
  {
    const MutexLock lock(mutex_);
    for (int row = 0; row < found.size(); ++row) owners_[found.int8(row, 0)] = found.int8(row, 1);
  }
  fill(nullptr);
  return owners;
}

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

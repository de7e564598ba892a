#include "rs/access_cache.h"

#include <algorithm>

namespace ladder::rs {

std::optional<Access> AccessCache::find(const crypto::Digest& token_hash, Instant now) {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(token_hash);
  if (found == kept_.end() || now >= found->second.until || now < found->second.until - kMoment) return std::nullopt;
  return found->second.access;
}

void AccessCache::keep(const crypto::Digest& token_hash, const Access& access, Instant now, std::optional<Instant> ends_at) {
  const MutexLock lock(mutex_);
  if (kept_.size() >= kMost && !kept_.contains(token_hash)) kept_.clear();
  kept_.insert_or_assign(token_hash, Kept{access, std::min(now + kMoment, ends_at.value_or(now + kMoment))});
}

void AccessCache::forget_all() {
  const MutexLock lock(mutex_);
  for (auto& [hash, kept] : kept_) kept.until = 0;
}

std::optional<KnownCaller> AccessCache::recall(const crypto::Digest& token_hash) const {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(token_hash);
  if (found == kept_.end()) return std::nullopt;
  const Access& access = found->second.access;
  return KnownCaller{access.owner(), access.client_id(), access.is_owner()};
}

}  // namespace ladder::rs

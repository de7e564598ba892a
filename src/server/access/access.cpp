#include "server/access/access.h"

#include <algorithm>

namespace ladder::server {

Deadline Access::deadline(int milliseconds) const {
  const auto whole = std::chrono::milliseconds(milliseconds);
  if (!arrived_) return Deadline::after(whole);
  const auto gone = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - *arrived_);
  return Deadline::after(whole - gone);
}

std::optional<Access> AccessCache::find(const crypto::Digest& token_hash, Instant now) {
  const MutexLock lock(mutex_);
  const auto found = kept_.find(token_hash);
  if (found == kept_.end() || now >= found->second.until || now < found->second.until - kCacheLife) return std::nullopt;
  return found->second.access;
}

void AccessCache::keep(const crypto::Digest& token_hash, const Access& access, Instant now, std::optional<Instant> ends_at) {
  const MutexLock lock(mutex_);
  if (kept_.size() >= kMax && !kept_.contains(token_hash)) kept_.clear();
  kept_.insert_or_assign(token_hash, Kept{access, std::min(now + kCacheLife, ends_at.value_or(now + kCacheLife))});
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

}  // namespace ladder::server

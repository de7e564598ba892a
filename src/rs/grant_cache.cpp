// Parsed grants, kept by number; the first in is the first out.
#include "rs/grant_cache.h"

namespace ladder::rs {

std::shared_ptr<const HeldGrant> GrantCache::find(store::GrantNo no) {
  const MutexLock lock(mutex_);
  const auto found = cached_.find(no);
  return found == cached_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<const HeldGrant>> GrantCache::get(const store::GrantRow& row) {
  if (auto held = find(row.no)) return held;
  LADDER_TRY(auto parsed, grant::parse_grant(row.body));
  auto held = std::make_shared<const HeldGrant>(HeldGrant{row.no, std::move(parsed)});
  const MutexLock lock(mutex_);
  if (!cached_.emplace(row.no, held).second) return held;  // another thread was quicker
  order_.push_back(row.no);
  if (order_.size() > kMostGrants) {
    cached_.erase(order_.front());
    order_.pop_front();
  }
  return held;
}

void GrantCache::refuse(std::string_view subject, std::string_view grant_id) {
  const MutexLock lock(mutex_);
  for (const auto& [no, held] : cached_) {
    if (held->grant.grant_id == grant_id && held->grant.subject_id == subject) held->refused->store(true);
  }
}

}  // namespace ladder::rs

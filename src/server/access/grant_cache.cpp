// Cache of parsed grants by number, with FIFO eviction.
#include "server/access/grant_cache.h"

#include <algorithm>

namespace ladder::server {

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
  if (!cached_.emplace(row.no, held).second) return held;  // another thread inserted it first
  order_.push_back(row.no);
  if (order_.size() > kMaxGrants) {
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

void GrantUses::note(const Access& access, Instant now) {
  const MutexLock lock(mutex_);
  if (uses_.size() >= kMax) uses_.clear();
  for (const auto& held : access.grants()) {
    Use& use = uses_[held->no];
    use.owner = access.owner();
    use.last = std::max(use.last, now);
  }
}

std::vector<store::GrantUse> GrantUses::take(Instant now) {
  const MutexLock lock(mutex_);
  std::vector<store::GrantUse> due;
  for (auto& [grant, use] : uses_) {
    if (use.last <= use.written || now - use.written < kStep) continue;
    due.push_back({use.owner, grant, use.last});
    use.written = use.last;
  }
  return due;
}

void GrantUses::restore(const std::vector<store::GrantUse>& uses) {
  const MutexLock lock(mutex_);
  for (const store::GrantUse& use : uses) {
    if (const auto found = uses_.find(use.grant); found != uses_.end()) found->second.written = 0;
  }
}

Instant Revocations::add(store::OwnerNo owner, std::string_view grant_id, Instant now) {
  const MutexLock lock(mutex_);
  const Instant at = pending_.try_emplace({owner, std::string(grant_id)}, now).first->second;
  count_ = pending_.size();
  return at;
}

void Revocations::remove(store::OwnerNo owner, std::string_view grant_id) {
  const MutexLock lock(mutex_);
  pending_.erase({owner, std::string(grant_id)});
  count_ = pending_.size();
}

bool Revocations::has(store::OwnerNo owner, std::string_view grant_id) const {
  if (empty()) return false;
  const MutexLock lock(mutex_);
  return pending_.contains({owner, std::string(grant_id)});
}

void Revocations::apply(store::GrantRow& row) const {
  if (empty() || row.revoked_at) return;
  const MutexLock lock(mutex_);
  if (const auto found = pending_.find({row.owner, row.grant_id}); found != pending_.end()) row.revoked_at = found->second;
}

std::vector<Revocations::Pending> Revocations::all() const {
  const MutexLock lock(mutex_);
  std::vector<Pending> all;
  all.reserve(pending_.size());
  for (const auto& [key, at] : pending_) all.push_back({key.first, key.second, at});
  return all;
}

}  // namespace ladder::server

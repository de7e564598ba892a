#include "rs/revocations.h"

namespace ladder::rs {

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
  for (const auto& [key, at] : pending_) all.push_back({key.first, key.second, at});
  return all;
}

}  // namespace ladder::rs

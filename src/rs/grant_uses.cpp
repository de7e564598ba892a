#include "rs/grant_uses.h"

#include <algorithm>

namespace ladder::rs {

void GrantUses::note(const Access& access, Instant now) {
  const MutexLock lock(mutex_);
  if (uses_.size() >= kMost) uses_.clear();
  for (const auto& held : access.grants()) {
    Instant& last = uses_[held->no].last;
    last = std::max(last, now);
  }
}

std::vector<store::GrantUse> GrantUses::take(Instant now) {
  const MutexLock lock(mutex_);
  std::vector<store::GrantUse> due;
  for (auto& [grant, use] : uses_) {
    if (use.last <= use.written || now - use.written < kStep) continue;
    due.push_back({grant, use.last});
    use.written = use.last;
  }
  return due;
}

void GrantUses::give_back(const std::vector<store::GrantUse>& uses) {
  const MutexLock lock(mutex_);
  for (const store::GrantUse& use : uses) {
    if (const auto found = uses_.find(use.grant); found != uses_.end()) found->second.written = 0;
  }
}

}  // namespace ladder::rs

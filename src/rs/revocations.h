// Grants that the owner has ended and whose end is not in the store yet: refused from memory until it is written. Safe from any
// thread.
#pragma once

#include "base/mutex.h"
#include "base/time.h"
#include "store/rows.h"

#include <atomic>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::rs {

class Revocations {
 public:
  struct Pending {
    store::OwnerNo owner = 0;
    std::string grant_id;
    Instant at = 0;  // when the owner said so
  };

  Instant add(store::OwnerNo owner, std::string_view grant_id, Instant now);  // when it was said first
  void remove(store::OwnerNo owner, std::string_view grant_id);               // written, or there is no such grant
  void apply(store::GrantRow& row) const;                                     // as if it were written
  bool has(store::OwnerNo owner, std::string_view grant_id) const;
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  std::vector<Pending> all() const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<store::OwnerNo, std::string>, Instant> pending_ LADDER_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace ladder::rs
